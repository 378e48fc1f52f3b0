#include "gemm_case.h"

namespace gpuopt_bench {
namespace {

gpuopt_dtype second_type(const GemmShape &s) { return s.b_type != 0 ? s.b_type : s.type; }

}  // namespace

GemmProblem problem_of(const GemmShape &s) {
  return {s.m, s.n, s.k, s.type, second_type(s), s.d_type, s.compute, s.layout[0] == 't', s.layout[1] == 't'};
}

Case gemm_case(const std::string &suite, const GemmShape &s) {
  Case c = named_case(suite, shape_text(s.m, s.n, s.k), gpuopt_dtype_name(s.type), s.layout);
  if (s.b_type != 0) c.type += std::string("+") + gpuopt_dtype_name(s.b_type);
  if (s.d_type != s.type) c.type += std::string(">") + gpuopt_dtype_name(s.d_type);
  if (s.compute != usual_compute(s.type)) c.detail += std::string(" ") + gpuopt_compute_name(s.compute);
  c.work = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  c.is_flops = true;
  c.bytes_per_call = s.m * s.k * gpuopt_dtype_size(s.type) + s.k * s.n * gpuopt_dtype_size(second_type(s)) +
                     s.m * s.n * gpuopt_dtype_size(s.d_type);
  return c;
}

LibraryCall gemm_operands(Context &context, const GemmShape &s, Case *c) {
  const int sets = sets_past_l2(context.session.device(), c->bytes_per_call);
  c->operands = std::make_shared<OperandSets>(
      std::vector<OperandShape>{{s.type, s.m * s.k}, {second_type(s), s.k * s.n}, {s.d_type, s.m * s.n}}, sets,
      context.session.stream());
  std::vector<gpuopt_gemm_args> calls;
  for (int set = 0; set < sets; ++set)
    calls.push_back(gemm_args(s, c->operands->at(0, set), c->operands->at(1, set), c->operands->at(2, set)));
  return library_call(std::move(calls));
}

}  // namespace gpuopt_bench
