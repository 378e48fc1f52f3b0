// What the chains of fused_act_linear (common/linear_act.h) make of the elements that a thread holds.
#pragma once

#include "common/fast_stages.cuh"
#include "common/linear_act.h"

namespace gpuopt {

// v: the step's vector with its factor: that along the row, or of that along the rows an element for each K values.
template <int K, int V>
__device__ __forceinline__ void apply_step(const LinearStep &step, const float (&v)[K], float (&x)[V]) {
  static_assert(V / K <= K, "an element for each K values");
  if (step.op == kEnd) return;
  const float scale = step.scale, shift = step.shift, low = step.low, high = step.high;
  if (step.op == kAddPerCol) {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = x[e] * scale + v[e % K];
  } else if (step.op == kMultiplyPerCol) {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = x[e] * v[e % K] + shift;
  } else if (step.op == kAddPerRow) {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = x[e] * scale + v[e / K];
  } else if (step.op == kMultiplyPerRow) {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = x[e] * v[e / K] + shift;
  } else {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = x[e] * scale + shift;
  }
  if (step.bounded) {
#pragma unroll
    for (int e = 0; e < V; ++e) x[e] = FastMath::clamp(x[e], low, high);
  }
}

template <int32_t kAct, int K>
__device__ __forceinline__ void apply_activation(float (&x)[K]) {
  if constexpr (kAct != kEnd) {
#pragma unroll
    for (int e = 0; e < K; ++e) x[e] = stage_value<kAct, FastMath>(x[e]);
  }
}

}  // namespace gpuopt
