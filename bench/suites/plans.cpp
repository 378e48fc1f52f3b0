#include "plans.h"

namespace gpuopt_bench {

Plan plan_problem(const std::string &suite, const std::string &problem) {
  const auto [op, shape] = split_problem(problem);
  if (op == "gemm") return plan_gemm(suite, shape);
  if (op == "transpose") return plan_transpose(suite, shape);
  if (op == "reduce") return plan_reduce(suite, shape);
  if (op == "fused_act") return plan_fused_act(suite, shape);
  if (op == "norm") return plan_norm(suite, shape);
  throw BadShape("'" + problem + "' names no suite");
}

}  // namespace gpuopt_bench
