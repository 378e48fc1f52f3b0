// Norms against the copy of the same bytes. No library of the CUDA toolkit has norms, so there is no peer.
#include "../core/copy.h"
#include "../core/error.h"
#include "suite.h"

namespace gpuopt_bench {
namespace {

// What a call does besides: gamma where the norm takes it, beta for LAYERNORM.
struct Kind {
  const char *name;  // as --shape spells it
  const char *detail;
  int32_t norm;
  bool adds;  // a residual before the norm, and writes the sum
  int32_t stage;
};
constexpr Kind kKinds[] = {
    {"layernorm", "LAYERNORM", GPUOPT_NORM_LAYERNORM, false, 0},
    {"rmsnorm", "RMSNORM", GPUOPT_NORM_RMSNORM, false, 0},
    {"softmax", "SOFTMAX", GPUOPT_NORM_SOFTMAX, false, 0},
    {"log_softmax", "LOG_SOFTMAX", GPUOPT_NORM_LOG_SOFTMAX, false, 0},
    {"add_layernorm", "residual, sum, LAYERNORM", GPUOPT_NORM_LAYERNORM, true, 0},
    {"add_rmsnorm", "residual, sum, RMSNORM", GPUOPT_NORM_RMSNORM, true, 0},
    {"layernorm_gelu", "LAYERNORM, gelu", GPUOPT_NORM_LAYERNORM, false, GPUOPT_STAGE_GELU},
    {"rmsnorm_silu", "RMSNORM, silu", GPUOPT_NORM_RMSNORM, false, GPUOPT_STAGE_SILU},
};
enum { kLayer, kRms, kSoftmax, kLogSoftmax, kAddLayer, kAddRms, kLayerGelu, kRmsSilu };

struct Shape {
  int64_t rows, cols;
  gpuopt_dtype type;
  int kind;
  bool quick;
};
constexpr int64_t kElements = 1 << 26;  // of the long and the short rows
constexpr Shape kShapes[] = {
    {8192, 8192, GPUOPT_F32, kLayer, true},
    {8192, 8192, GPUOPT_F16, kLayer, false},
    {8192, 8192, GPUOPT_BF16, kLayer, true},
    {8192, 8192, GPUOPT_F32, kRms, false},
    {8192, 8192, GPUOPT_F16, kRms, false},
    {8192, 8192, GPUOPT_BF16, kRms, true},
    {8192, 8192, GPUOPT_F32, kSoftmax, false},
    {8192, 8192, GPUOPT_F16, kSoftmax, false},
    {8192, 8192, GPUOPT_BF16, kSoftmax, true},
    {8192, 8192, GPUOPT_F32, kLogSoftmax, false},
    {8192, 8192, GPUOPT_BF16, kLogSoftmax, false},
    {16384, 16384, GPUOPT_F32, kLayer, true},
    {16384, 16384, GPUOPT_F16, kLayer, false},
    {16384, 16384, GPUOPT_BF16, kLayer, false},
    {16384, 16384, GPUOPT_F32, kRms, false},
    {16384, 16384, GPUOPT_F16, kRms, false},
    {16384, 16384, GPUOPT_BF16, kRms, false},
    {16384, 16384, GPUOPT_F32, kSoftmax, false},
    {16384, 16384, GPUOPT_F16, kSoftmax, false},
    {16384, 16384, GPUOPT_BF16, kSoftmax, false},
    {16384, 16384, GPUOPT_F32, kLogSoftmax, false},
    {16384, 16384, GPUOPT_BF16, kLogSoftmax, false},
    {4097, 4099, GPUOPT_F32, kLayer, false},
    {4097, 4099, GPUOPT_BF16, kLayer, true},
    {4097, 4099, GPUOPT_F32, kRms, false},
    {4097, 4099, GPUOPT_BF16, kRms, false},
    {4097, 4099, GPUOPT_F32, kSoftmax, false},
    {4097, 4099, GPUOPT_BF16, kSoftmax, false},
    {kElements / 64, 64, GPUOPT_F32, kLayer, false},
    {kElements / 64, 64, GPUOPT_BF16, kLayer, true},
    {kElements / 64, 64, GPUOPT_F32, kSoftmax, false},
    {kElements / 64, 64, GPUOPT_BF16, kSoftmax, false},
    {kElements / 256, 256, GPUOPT_F32, kLayer, false},
    {kElements / 256, 256, GPUOPT_BF16, kLayer, false},
    {kElements / 1024, 1024, GPUOPT_F32, kLayer, false},
    {kElements / 1024, 1024, GPUOPT_BF16, kLayer, false},
    {kElements / 1024, 1024, GPUOPT_BF16, kSoftmax, false},
    {kElements / 262144, 262144, GPUOPT_F32, kLayer, false},
    {kElements / 262144, 262144, GPUOPT_BF16, kLayer, true},
    {kElements / 262144, 262144, GPUOPT_F32, kSoftmax, false},
    {kElements / 262144, 262144, GPUOPT_BF16, kSoftmax, false},
    {8192, 8192, GPUOPT_F32, kAddRms, false},
    {8192, 8192, GPUOPT_BF16, kAddRms, true},
    {8192, 8192, GPUOPT_F32, kAddLayer, false},
    {8192, 8192, GPUOPT_BF16, kAddLayer, false},
    {8192, 8192, GPUOPT_F32, kLayerGelu, false},
    {8192, 8192, GPUOPT_BF16, kLayerGelu, false},
    {8192, 8192, GPUOPT_BF16, kRmsSilu, false},
    {1024, 1024, GPUOPT_BF16, kRms, false},
    {32, 4096, GPUOPT_BF16, kRms, false},
};

Shape read_case(const std::string &text) {
  const ShapeText t = read_shape(text, 2, 2, 2);
  std::string all;
  for (int kind = 0; kind < static_cast<int>(std::size(kKinds)); ++kind) {
    if (t.field(1).empty() || t.field(1) == kKinds[kind].name)
      return {t.extents[0], t.extents[1], dtype_field(t, 0, GPUOPT_F32), kind, true};
    all += (all.empty() ? "" : ", ") + std::string(kKinds[kind].name);
  }
  t.reject("'" + t.field(1) + "' must be one of: " + all);
}

void norm_case(Context &context, const Shape &s) {
  const Kind &kind = kKinds[s.kind];
  Case c;
  c.suite = "norm";
  c.shape = shape_text(s.rows, s.cols);
  c.type = gpuopt_dtype_name(s.type);
  c.detail = kind.detail;
  if (left_out(context, c, s.quick)) return;
  try {
    const bool weights = kind.norm == GPUOPT_NORM_LAYERNORM || kind.norm == GPUOPT_NORM_RMSNORM,
               centres = kind.norm == GPUOPT_NORM_LAYERNORM;
    const int64_t count = s.rows * s.cols, element = gpuopt_dtype_size(s.type);
    c.bytes_per_call = element * (count * (kind.adds ? 4 : 2) + s.cols * (centres ? 2 : weights ? 1 : 0));
    c.work = static_cast<double>(c.bytes_per_call);
    const int64_t copied =
        (c.bytes_per_call / 2 + 255) / 256 * 256;  // read once and written once, in place of the call's
    const int sets = sets_past_l2(context.session.device(), c.bytes_per_call);
    const int64_t room = copied / element;  // x and out have room for the copy too
    const int64_t aside = kind.adds ? count : 1;
    c.operands = std::make_shared<OperandSets>(
        std::vector<OperandShape>{
            {s.type, room}, {s.type, room}, {s.type, s.cols}, {s.type, s.cols}, {s.type, aside}, {s.type, aside}},
        sets, context.session.stream());
    const auto stage = std::make_shared<gpuopt_stage>(gpuopt_act(kind.stage, 0, 0));
    std::vector<gpuopt_norm_args> calls;
    for (int set = 0; set < sets; ++set) {
      const auto matrix = [&](size_t operand, int64_t rows) {
        return gpuopt_mat(c.operands->at(operand, set), rows, s.cols, s.type);
      };
      gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
      n.norm = kind.norm;
      n.x = matrix(0, s.rows);
      n.out = matrix(1, s.rows);
      if (weights) n.gamma = matrix(2, 1);
      if (centres) n.beta = matrix(3, 1);
      if (kind.adds) {
        n.residual = matrix(4, s.rows);
        n.sum = matrix(5, s.rows);
      }
      if (kind.stage != 0) {
        n.stages = stage.get();  // lives until the case has run
        n.stage_count = 1;
      }
      calls.push_back(n);
    }
    c.add_library(context, library_call(std::move(calls)));
    c.add(Role::ceiling, copy_contenders(context.session, *c.operands, 0, 1, static_cast<size_t>(copied)));
    run_case(context, c);
  } catch (const Refused &refused) {
    report_left_out(c, refused.what());
  }
}

}  // namespace

void check_norm_shape(const std::string &text) { read_case(text); }

void run_norm(Context &context) {
  std::vector<Shape> shapes = asked_shapes(context.options, read_case);
  if (shapes.empty()) shapes.assign(std::begin(kShapes), std::end(kShapes));
  for (const Shape &s : shapes) norm_case(context, s);
}

}  // namespace gpuopt_bench
