// The host side of the kernels of linear step, activation, linear step: what they take, their instances.
#pragma once

#include "common/descriptor.h"
#include "common/dtypes.cuh"
#include "common/launch.h"
#include "common/with_constant.h"
#include "fused_act/pattern/linear_act.cuh"

namespace gpuopt {

// f(x's type, uint8_t for all of 8 bits; the activation as a constant).
template <class F>
auto with_linear_act(const LinearAct &chain, F &&f) {
  const auto with_act = [&](auto tag) {
    return with_constant<GPUOPT_STAGE_GELU, GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SILU, GPUOPT_STAGE_SIGMOID,
                         GPUOPT_STAGE_TANH, kEnd>(chain.act, [&](auto act) { return f(tag, act); });
  };
  if (dtype_bytes(chain.x.dtype) == 1) return with_act(Type<uint8_t>{});
  return with_one_of<__half, __nv_bfloat16, float>(chain.x.dtype, with_act);
}

// The resources of X(T, activation) for every activation.
#define GPUOPT_LINEAR_ACTS(X, T)                                                              \
  X(T, kEnd), X(T, GPUOPT_STAGE_GELU), X(T, GPUOPT_STAGE_GELU_TANH), X(T, GPUOPT_STAGE_SILU), \
      X(T, GPUOPT_STAGE_SIGMOID), X(T, GPUOPT_STAGE_TANH)

inline bool is_linear_chain(const gpuopt_problem &problem, gpuopt_reject *reject) {
  LinearAct chain;
  const int32_t stage = match_linear_act(problem, chain);
  if (stage < 0) return true;
  return refuse(reject, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + stage, 0, 0,
                "not an activation between two linear steps with vectors of x's type or f32");
}

// The descriptor but for its signatures, functions and resources.
constexpr gpuopt_kernel linear_act_kernel(const char *name, const char *summary) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_FUSED_ACT, name, summary, kViewFeatures);
  k.stage_kinds = kLinearActKinds;
  k.max_stages = 5;
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  return k;
}

}  // namespace gpuopt
