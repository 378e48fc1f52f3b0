// Chains after a norm that are an activation between two linear steps of numbers, each with bounds (common/linear_act.h).
#pragma once

#include "common/linear_act.h"
#include "norm/common/row_chain.h"
#include "norm/common/row_launch.h"

namespace gpuopt {

constexpr int32_t kMostChainStages = 5;  // no sensible chain has more

// Fills the chain and returns -1, or returns a stage that does not fit.
inline int32_t match_row_linear(const gpuopt_problem &problem, RowLinear &chain) {
  for (int32_t s = 0; s < problem.stage_count; ++s)
    if (problem.stage[s].a.m.dtype != 0 || problem.stage[s].b.m.dtype != 0) return s;
  LinearAct any;
  const int32_t unfit = match_linear_act(problem, any);
  const auto step = [](const LinearStep &from) {
    return RowLinear::Step{from.op != kEnd, from.bounded, from.scale, from.shift, from.low, from.high};
  };
  chain = {step(any.before), step(any.after), any.act};
  return unfit;
}

// Whether out is e4m3 and x is not: only kernels with stages, be there none, narrow.
inline bool narrows(const gpuopt_problem &problem) {
  return problem.operand[GPUOPT_OPERAND_OUT].m.dtype == GPUOPT_E4M3;
}

// Whether weights are fp32 and x is not: only kernels of linear chains widen.
inline bool widens(const gpuopt_problem &problem) {
  const int32_t gamma = problem.extra[GPUOPT_OPERAND_GAMMA - 4].m.dtype,
                beta = problem.extra[GPUOPT_OPERAND_BETA - 4].m.dtype;
  return !is_f32(problem) && (gamma == GPUOPT_F32 || beta == GPUOPT_F32);
}

// Whether there is nothing behind the norm: no stages, results and weights of x's type.
inline bool stands_alone(const gpuopt_problem &problem) {
  return problem.stage_count == 0 && !narrows(problem) && !widens(problem);
}

inline RowChain make_row_chain(const gpuopt_problem &problem) {
  RowChain chain = {};
  chain.linear = match_row_linear(problem, chain.chain) < 0;
  return chain;
}
// Whether one form or the other takes the stages.
inline bool chain_fits(const gpuopt_problem &problem, gpuopt_reject *reject) {
  RowLinear chain;
  return match_row_linear(problem, chain) < 0 || stages_fit(problem, reject);
}

// The descriptor of kernels of rows that have stages in both forms, of at most so many.
constexpr gpuopt_kernel stages_row_kernel(const char *name, const char *summary, int32_t most) {
  gpuopt_kernel k = row_kernel(name, summary);
  set_signatures(k, kRowSignaturesNarrow);
  k.stage_kinds = kRowStageKinds | kLinearActKinds;
  k.max_stages = most;
  return k;
}

// Whether there are stages, a narrower out or wider weights, as row_linear.cuh has them: LAYERNORM or RMSNORM, a matching
// chain, which may be empty.
inline bool takes_linear(const gpuopt_problem &problem, RowLinear &chain) {
  const bool norm = problem.variant == GPUOPT_NORM_LAYERNORM || problem.variant == GPUOPT_NORM_RMSNORM;
  return norm && !stands_alone(problem) && !has_residual(problem) && match_row_linear(problem, chain) < 0;
}

}  // namespace gpuopt
