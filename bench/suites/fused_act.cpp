// Fused chains against CUB's DeviceTransform, which evaluates the same chain in one pass, and the copy of the same bytes.
#include <algorithm>

#include "../core/copy.h"
#include "../peers/cub_transform.h"
#include "plans.h"
#include "problems.h"

namespace gpuopt_bench {
namespace {

constexpr FusedShape kShapes[] = {
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
// The operands of a case.
enum { kX, kOut, kBias, kMatrix, kFactors };

// Our calls on the operands of a case; the case keeps their stages.
LibraryCall calls_of(const FusedShape &s, Case *c) {
  auto stages = std::make_shared<std::vector<std::vector<gpuopt_stage>>>();
  std::vector<gpuopt_fused_act_args> calls;
  for (int set = 0; set < c->operands->sets(); ++set) {
    const auto at = [&](size_t operand) { return c->operands->at(operand, set); };
    stages->emplace_back();
    calls.push_back(fused_act_args(s, {at(kX), at(kOut), at(kBias), at(kMatrix), at(kFactors)}, &stages->back()));
  }
  c->kept.push_back(stages);
  return library_call(std::move(calls));
}

void build(const FusedShape &s, Context &context, Case *c) {
  const int64_t count = s.rows * s.cols, factors = factors_of(s);
  const int64_t element = gpuopt_dtype_size(s.type), of_out = gpuopt_dtype_size(s.out);
  c->bytes_per_call = of_out * count + element * (count * (reads_matrix(s.chain) ? 2 : 1) +
                                                  (reads_bias(s.chain) ? s.cols : 0) + factors);
  c->work = static_cast<double>(c->bytes_per_call);
  const int64_t copied =
      (c->bytes_per_call / 2 + 255) / 256 * 256;  // read once and written once, in place of the call's
  const int sets = sets_past_l2(context.session.device(), c->bytes_per_call);
  const int64_t room = copied / element;  // x and out have room for the copy too
  const int64_t matrix = reads_matrix(s.chain) ? count : 1;
  c->operands = std::make_shared<OperandSets>(std::vector<OperandShape>{{s.type, std::max(room, count)},
                                                                        {s.out, std::max(copied / of_out, count)},
                                                                        {s.type, s.cols},
                                                                        {s.type, matrix},
                                                                        {s.type, std::max<int64_t>(factors, 1)}},
                                              sets, context.session.stream());
  c->add_library(context, calls_of(s, c));
  if (context.options.peers && !s.columns && s.out == s.type && cub_takes(s.chain, s.type, s.rows, s.cols))
    c->add(Role::peer, cub_transform(*c->operands, s.chain, s.type, s.rows, s.cols, kFusedScale));
  c->add(Role::ceiling, copy_contenders(context.session, *c->operands, kX, kOut, static_cast<size_t>(copied)));
}

Plan plan(const std::string &suite, const FusedShape &s) {
  Plan p;
  p.names = named_case(suite, shape_text(s.rows, s.cols),
                       s.out == s.type ? gpuopt_dtype_name(s.type)
                                       : std::string(gpuopt_dtype_name(s.type)) + ">" + gpuopt_dtype_name(s.out),
                       detail_of(s));
  p.quick = s.quick;
  p.build = [s](Context &context, Case *c) { build(s, context, c); };
  return p;
}

}  // namespace

Plan plan_fused_act(const std::string &suite, const std::string &shape) { return plan(suite, read_fused_shape(shape)); }

Plan plan_fused_act_beside(const std::string &suite, const std::string &shape, const std::string &one_stage) {
  const FusedShape whole = read_fused_shape(shape);
  FusedShape part = whole;
  part.chain = Chain::relu;
  Plan p = plan(suite, whole);
  p.build = [whole, part, one_stage](Context &context, Case *c) {
    build(whole, context, c);
    Contender contender = context.library.automatic(calls_of(part, c));
    contender.name = one_stage;
    c->add(Role::reference, std::move(contender));
  };
  return p;
}

void check_fused_act_shape(const std::string &text) { read_fused_shape(text); }

void run_fused_act(Context &context) { run_shapes(context, "fused_act", read_fused_shape, kShapes, plan); }

}  // namespace gpuopt_bench
