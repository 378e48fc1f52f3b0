/* A chain of element-wise stages in double: the meaning of GPUOPT_STAGE_TABLE, written plainly. */
#pragma once

#include <stdint.h>

#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {

template <class... Kinds>
constexpr uint64_t stage_bits(Kinds... kinds) {
  return (uint64_t{0} | ... | (uint64_t{1} << kinds));
}

/* The stage kinds that apply_stage computes, by name: what gpuopt_kernel.stage_kinds says of a kernel that calls it. A kind
 * that is new in tables.h is no CPU kernel's until its value stands in chain.cpp, in isa/stages.h, and its name here. */
constexpr uint64_t kAllStageKinds =
    stage_bits(GPUOPT_STAGE_RELU, GPUOPT_STAGE_LEAKY_RELU, GPUOPT_STAGE_GELU, GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SILU,
               GPUOPT_STAGE_SIGMOID, GPUOPT_STAGE_TANH, GPUOPT_STAGE_CLAMP, GPUOPT_STAGE_EXP, GPUOPT_STAGE_LOG,
               GPUOPT_STAGE_SQRT, GPUOPT_STAGE_SQUARE, GPUOPT_STAGE_ABS, GPUOPT_STAGE_NEG, GPUOPT_STAGE_RECIPROCAL,
               GPUOPT_STAGE_STEP, GPUOPT_STAGE_ADD, GPUOPT_STAGE_SUB, GPUOPT_STAGE_MUL, GPUOPT_STAGE_ADD_OUTER,
               GPUOPT_STAGE_STORE, GPUOPT_STAGE_RELU_GRAD, GPUOPT_STAGE_GELU_GRAD, GPUOPT_STAGE_SILU_GRAD);

/* For the descriptor of a kernel that calls it, or apply_chain. */
constexpr void accept_all_stages(gpuopt_kernel &kernel) {
  kernel.stage_kinds = kAllStageKinds;
  kernel.max_stages = GPUOPT_MAX_STAGES;
}

/* One stage on the running value x at element (i, j) of matrix p. STORE writes its operand here and now. */
double apply_stage(const gpuopt_problem_stage &stage, double x, int64_t i, int64_t j, int64_t p);

/* The problem's whole chain, in the order given, without the final rounding. */
double apply_chain(const gpuopt_problem &problem, double x, int64_t i, int64_t j, int64_t p);

}  // namespace cpu
}  // namespace gpuopt
