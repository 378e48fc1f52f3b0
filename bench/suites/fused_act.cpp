// Fused chains against CUB's DeviceTransform, which evaluates the same chain in one pass, and the copy of the same bytes.
#include "../core/copy.h"
#include "../core/error.h"
#include "../peers/cub_transform.h"
#include "suite.h"

namespace gpuopt_bench {
namespace {

struct Shape {
  int64_t rows, cols;
  Chain chain;
  gpuopt_dtype type;
  bool quick;
};
constexpr Shape kShapes[] = {
    {1000, 3, Chain::relu_bias_scale, GPUOPT_F32, false},
    {32, 4096, Chain::relu_bias_scale, GPUOPT_F32, false},
    {1024, 1024, Chain::relu_bias_scale, GPUOPT_F32, true},
    {4096, 4096, Chain::relu_bias_scale, GPUOPT_F32, true},
    {4097, 4099, Chain::relu_bias_scale, GPUOPT_F32, true},
    {8192, 8192, Chain::relu_bias_scale, GPUOPT_F32, false},
    {16384, 16384, Chain::relu_bias_scale, GPUOPT_F32, false},
    {1024, 1024, Chain::relu_bias_scale, GPUOPT_BF16, false},
    {8192, 8192, Chain::relu_bias_scale, GPUOPT_BF16, true},
    {8192, 8192, Chain::relu, GPUOPT_F32, false},
    {8192, 8192, Chain::relu, GPUOPT_BF16, false},
    {8192, 8192, Chain::bias_gelu_tanh, GPUOPT_F32, false},
    {8192, 8192, Chain::bias_gelu_tanh, GPUOPT_BF16, true},
    {4097, 4099, Chain::bias_gelu_tanh, GPUOPT_BF16, false},
    {1024, 1024, Chain::silu_mul, GPUOPT_BF16, false},
    {8192, 8192, Chain::silu_mul, GPUOPT_F32, false},
    {8192, 8192, Chain::silu_mul, GPUOPT_BF16, false},
    {8192, 8192, Chain::bias_gelu_residual, GPUOPT_F32, false},
    {8192, 8192, Chain::bias_gelu_residual, GPUOPT_BF16, false},
};
constexpr double kScale = 1.25;

const char *words_of(Chain chain) {
  switch (chain) {
    case Chain::relu:
      return "relu";
    case Chain::relu_bias_scale:
      return "relu, add per_col, mul scalar";
    case Chain::bias_gelu_tanh:
      return "add per_col, gelu_tanh";
    case Chain::silu_mul:
      return "silu, mul matrix";
    default:
      return "add per_col, gelu, add matrix";
  }
}

std::vector<gpuopt_stage> stages_of(Chain chain, const gpuopt_matrix &bias, const gpuopt_matrix &matrix) {
  const gpuopt_stage add_bias = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, bias);
  gpuopt_stage scale = gpuopt_act(GPUOPT_STAGE_MUL, kScale, 0);
  switch (chain) {
    case Chain::relu:
      return {gpuopt_act(GPUOPT_STAGE_RELU, 0, 0)};
    case Chain::relu_bias_scale:
      return {gpuopt_act(GPUOPT_STAGE_RELU, 0, 0), add_bias, scale};
    case Chain::bias_gelu_tanh:
      return {add_bias, gpuopt_act(GPUOPT_STAGE_GELU_TANH, 0, 0)};
    case Chain::silu_mul:
      return {gpuopt_act(GPUOPT_STAGE_SILU, 0, 0), gpuopt_act_with(GPUOPT_STAGE_MUL, GPUOPT_MATRIX, matrix)};
    default:
      return {add_bias, gpuopt_act(GPUOPT_STAGE_GELU, 0, 0), gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, matrix)};
  }
}

Shape read_case(const std::string &text) {
  const ShapeText t = read_shape(text, 2, 2, 2);
  constexpr struct {
    const char *name;
    Chain chain;
  } kChains[] = {{"relu_bias_scale", Chain::relu_bias_scale},
                 {"relu", Chain::relu},
                 {"bias_gelu_tanh", Chain::bias_gelu_tanh},
                 {"silu_mul", Chain::silu_mul},
                 {"bias_gelu_residual", Chain::bias_gelu_residual}};
  std::string all;
  for (const auto &c : kChains) {
    if (t.field(1).empty() || t.field(1) == c.name)
      return {t.extents[0], t.extents[1], c.chain, dtype_field(t, 0, GPUOPT_F32), true};
    all += (all.empty() ? "" : ", ") + std::string(c.name);
  }
  t.reject("'" + t.field(1) + "' must be one of: " + all);
}

void fused_act_case(Context &context, const Shape &s) {
  Case c;
  c.suite = "fused_act";
  c.shape = shape_text(s.rows, s.cols);
  c.type = gpuopt_dtype_name(s.type);
  c.detail = words_of(s.chain);
  if (left_out(context, c, s.quick)) return;
  try {
    const int64_t count = s.rows * s.cols, element = gpuopt_dtype_size(s.type);
    const bool reads_matrix = s.chain == Chain::silu_mul || s.chain == Chain::bias_gelu_residual;
    const bool reads_bias = s.chain != Chain::relu && s.chain != Chain::silu_mul;
    c.bytes_per_call = element * (count * (reads_matrix ? 3 : 2) + (reads_bias ? s.cols : 0));
    c.work = static_cast<double>(c.bytes_per_call);
    const int64_t copied =
        (c.bytes_per_call / 2 + 255) / 256 * 256;  // read once and written once, in place of the call's
    const int sets = sets_past_l2(context.session.device(), c.bytes_per_call);
    const int64_t room = copied / element;  // x and out have room for the copy too
    c.operands = std::make_shared<OperandSets>(
        std::vector<OperandShape>{{s.type, room}, {s.type, room}, {s.type, s.cols}, {s.type, reads_matrix ? count : 1}},
        sets, context.session.stream());
    // The args point to their stages, which live until the case has run.
    std::vector<gpuopt_fused_act_args> calls;
    auto stages = std::make_shared<std::vector<std::vector<gpuopt_stage>>>();
    for (int set = 0; set < sets; ++set) {
      stages->push_back(stages_of(s.chain, gpuopt_mat(c.operands->at(2, set), 1, s.cols, s.type),
                                  gpuopt_mat(c.operands->at(3, set), s.rows, s.cols, s.type)));
      gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
      f.x = gpuopt_mat(c.operands->at(0, set), s.rows, s.cols, s.type);
      f.out = gpuopt_mat(c.operands->at(1, set), s.rows, s.cols, s.type);
      f.stages = stages->back().data();
      f.stage_count = static_cast<int32_t>(stages->back().size());
      calls.push_back(f);
    }
    c.add_library(context, library_call(std::move(calls)));
    const bool cub_takes = (s.type == GPUOPT_F32 || s.type == GPUOPT_BF16) && count <= INT32_MAX;
    if (cub_takes) c.add(Role::peer, cub_transform(*c.operands, s.chain, s.type, s.rows, s.cols, kScale));
    c.add(Role::ceiling, copy_contenders(context.session, *c.operands, 0, 1, static_cast<size_t>(copied)));
    run_case(context, c);
  } catch (const Refused &refused) {
    report_left_out(c, refused.what());
  }
}

}  // namespace

void check_fused_act_shape(const std::string &text) { read_case(text); }

void run_fused_act(Context &context) {
  std::vector<Shape> shapes = asked_shapes(context.options, read_case);
  if (shapes.empty()) shapes.assign(std::begin(kShapes), std::end(kShapes));
  for (const Shape &s : shapes) fused_act_case(context, s);
}

}  // namespace gpuopt_bench
