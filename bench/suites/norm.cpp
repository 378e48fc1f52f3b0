// Norms against the copy of the same bytes. No library of the CUDA toolkit has norms, so there is no peer.
#include "../core/copy.h"
#include "plans.h"
#include "problems.h"

namespace gpuopt_bench {
namespace {

constexpr int64_t kElements = 1 << 26;  // of the long and the short rows
constexpr NormShape kShapes[] = {
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

void build(const NormShape &s, Context &context, Case *c) {
  const NormKind &kind = norm_kind(s.kind);
  const int64_t count = s.rows * s.cols, element = gpuopt_dtype_size(s.type);
  c->bytes_per_call = element * (count * (kind.adds ? 4 : 2) + s.cols * (kind.centres() ? 2 : kind.weights() ? 1 : 0));
  c->work = static_cast<double>(c->bytes_per_call);
  const int64_t copied =
      (c->bytes_per_call / 2 + 255) / 256 * 256;  // read once and written once, in place of the call's
  const int sets = sets_past_l2(context.session.device(), c->bytes_per_call);
  const int64_t room = copied / element;  // x and out have room for the copy too
  const int64_t aside = kind.adds ? count : 1;
  c->operands = std::make_shared<OperandSets>(
      std::vector<OperandShape>{
          {s.type, room}, {s.type, room}, {s.type, s.cols}, {s.type, s.cols}, {s.type, aside}, {s.type, aside}},
      sets, context.session.stream());
  const auto stage = std::make_shared<gpuopt_stage>();
  c->kept.push_back(stage);
  std::vector<gpuopt_norm_args> calls;
  for (int set = 0; set < sets; ++set) {
    const auto at = [&](size_t operand) { return c->operands->at(operand, set); };
    calls.push_back(norm_args(s, {at(0), at(1), at(2), at(3), at(4), at(5)}, stage.get()));
  }
  c->add_library(context, library_call(std::move(calls)));
  c->add(Role::ceiling, copy_contenders(context.session, *c->operands, 0, 1, static_cast<size_t>(copied)));
}

Plan plan(const std::string &suite, const NormShape &s) {
  Plan p;
  p.names = named_case(suite, shape_text(s.rows, s.cols), gpuopt_dtype_name(s.type), norm_kind(s.kind).detail);
  p.quick = s.quick;
  p.build = [s](Context &context, Case *c) { build(s, context, c); };
  return p;
}

}  // namespace

Plan plan_norm(const std::string &suite, const std::string &shape) { return plan(suite, read_norm_shape(shape)); }

void check_norm_shape(const std::string &text) { read_norm_shape(text); }

void run_norm(Context &context) { run_shapes(context, "norm", read_norm_shape, kShapes, plan); }

}  // namespace gpuopt_bench
