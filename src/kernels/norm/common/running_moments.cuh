// Statistics of elements that come one vector after the other, for kernels that keep none in registers.
#pragma once

#include "norm/common/moments.cuh"

namespace gpuopt {

// LAYERNORM takes distances from an element of the thread's first vector.
template <int kNorm>
struct RunningMoments {
  float origin = kIsSoftmax<kNorm> ? -HUGE_VALF : 0.0f;  // that element, or the greatest so far
  float sum = 0, squares = 0;
  int32_t count = 0;

  template <int K>
  __device__ __forceinline__ void add(const float (&h)[K]) {
    if constexpr (kNorm == GPUOPT_NORM_RMSNORM) {
#pragma unroll
      for (int e = 0; e < K; ++e) squares += h[e] * h[e];
    } else if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
      if (count == 0) origin = origin_of(h);
      count += K;
#pragma unroll
      for (int e = 0; e < K; ++e) {
        const float d = h[e] - origin;
        sum += d;
        squares += d * d;
      }
    } else {
      float greatest = origin;
#pragma unroll
      for (int e = 0; e < K; ++e) greatest = greater(greatest, h[e]);
      sum *= fast::exp(origin - pivot(greatest));
      origin = greatest;
#pragma unroll
      for (int e = 0; e < K; ++e) sum += fast::exp(h[e] - pivot(greatest));
    }
  }
  __device__ __forceinline__ Moments result() const {
    if constexpr (kNorm == GPUOPT_NORM_RMSNORM) return {0.0f, 0.0f, 0.0f, squares};
    if constexpr (kIsSoftmax<kNorm>) return {0.0f, 0.0f, origin, sum};
    if (count == 0) return no_moments<kNorm>();
    const auto n = static_cast<float>(count);
    return moments_of_distances(n, origin, sum, squares, sum / n);
  }
};

}  // namespace gpuopt
