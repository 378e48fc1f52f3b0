// A linear chain on the elements of a vector. No list is walked: what there is costs a branch a vector, the same for all threads.
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

}  // namespace gpuopt
