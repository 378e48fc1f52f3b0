#include "gemm_case.h"

namespace gpuopt_bench {
namespace {

gpuopt_dtype second_type(const GemmShape &s) { return s.b_type != 0 ? s.b_type : s.type; }

int64_t elements_of_end(const GemmShape &s) {
  return s.end == GemmEnd::none ? 0 : s.end == GemmEnd::residual ? s.m * s.n : s.n;
}

}  // namespace

GemmProblem problem_of(const GemmShape &s) {
  return {s.m, s.n, s.k, s.type, second_type(s), s.d_type, s.compute, s.layout[0] == 't', s.layout[1] == 't', s.end};
}

Case gemm_case(const std::string &suite, const GemmShape &s) {
  Case c = named_case(suite, shape_text(s.m, s.n, s.k), gpuopt_dtype_name(s.type), s.layout);
  if (s.b_type != 0) c.type += std::string("+") + gpuopt_dtype_name(s.b_type);
  if (s.d_type != s.type) c.type += std::string(">") + gpuopt_dtype_name(s.d_type);
  if (s.compute != usual_compute(s.type)) c.detail += std::string(" ") + gpuopt_compute_name(s.compute);
  if (s.end != GemmEnd::none) c.detail += std::string(" ") + name_of(s.end);
  c.work = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  c.is_flops = true;
  c.bytes_per_call = s.m * s.k * gpuopt_dtype_size(s.type) + s.k * s.n * gpuopt_dtype_size(second_type(s)) +
                     s.m * s.n * gpuopt_dtype_size(s.d_type) + elements_of_end(s) * gpuopt_dtype_size(s.d_type);
  return c;
}

LibraryCall gemm_operands(Context &context, const GemmShape &s, Case *c) {
  const int sets = sets_past_l2(context.session.device(), c->bytes_per_call);
  std::vector<OperandShape> operands = {{s.type, s.m * s.k}, {second_type(s), s.k * s.n}, {s.d_type, s.m * s.n}};
  if (s.end != GemmEnd::none) operands.push_back({s.d_type, elements_of_end(s)});
  c->operands = std::make_shared<OperandSets>(operands, sets, context.session.stream());
  const auto stages = std::make_shared<std::vector<std::vector<gpuopt_stage>>>(sets);
  c->kept.push_back(stages);
  std::vector<gpuopt_gemm_args> calls;
  for (int set = 0; set < sets; ++set) {
    const auto at = [&](size_t operand) { return c->operands->at(operand, set); };
    calls.push_back(gemm_args(s, {at(0), at(1), at(2), operands.size() > 3 ? at(3) : nullptr},
                              &(*stages)[static_cast<size_t>(set)]));
  }
  return library_call(std::move(calls));
}

}  // namespace gpuopt_bench
