// A linear chain on the elements of a vector. No list is walked: what there is costs a branch a vector, the same for all
// threads.
#pragma once

#include "common/fast_stages.cuh"
#include "norm/common/row_work.h"

namespace gpuopt {

template <int K>
__device__ __forceinline__ void apply_row_step(const RowLinear::Step &step, float (&h)[K]) {
  if (!step.exists) return;
  const float scale = step.scale, shift = step.shift, low = step.low, high = step.high;
#pragma unroll
  for (int e = 0; e < K; ++e) h[e] = h[e] * scale + shift;
  if (!step.bounded) return;
#pragma unroll
  for (int e = 0; e < K; ++e) h[e] = FastMath::clamp(h[e], low, high);
}

template <int K>
__device__ __forceinline__ void apply_row_act(int32_t act, float (&h)[K]) {
  if (act == kNoRowAct) return;
  apply_one_of<FastMath, GPUOPT_STAGE_GELU, GPUOPT_STAGE_SILU, GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SIGMOID,
               GPUOPT_STAGE_TANH>(act, 1.0f, h, h);
}

// The chain where its activation is known: kAct, or kAnyRowAct.
constexpr int32_t kAnyRowAct = -1;
template <int32_t kAct>
struct RowLinearOf {
  static constexpr int32_t kKnown = kAct;
  const RowLinear &chain;
};

template <int32_t kAct, int K>
__device__ __forceinline__ void apply_row_linear(const RowLinear &chain, float (&h)[K]) {
  apply_row_step(chain.before, h);
  apply_row_act(kAct == kAnyRowAct ? chain.act : kAct, h);
  apply_row_step(chain.after, h);
}

// f(the chain with its activation known), for the activations that people put behind a norm: no branch between two vectors.
template <class F>
__device__ __forceinline__ void with_row_act(const RowLinear &chain, F &&f) {
  if (chain.act == kNoRowAct)
    f(RowLinearOf<kNoRowAct>{chain});
  else if (chain.act == GPUOPT_STAGE_SILU)
    f(RowLinearOf<GPUOPT_STAGE_SILU>{chain});
  else if (chain.act == GPUOPT_STAGE_GELU)
    f(RowLinearOf<GPUOPT_STAGE_GELU>{chain});
  else
    f(RowLinearOf<kAnyRowAct>{chain});
}

}  // namespace gpuopt
