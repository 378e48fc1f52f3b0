// The statistics of a row, made of those of its parts: each thread of its own elements, lanes of a warp, warps of a
// block, blocks of a cluster. Mean and squares are joined together (Chan, Golub and LeVeque 1979): the squares are
// always those of the differences from a mean of the same elements, so nothing cancels, and a block needs one barrier
// in place of two. Means are kept in two numbers (mean.cuh), so rows far from 0 lose nothing either: of parts that are
// joined, the distances of their means from the first one's are. That part has elements if any has, as they are dealt
// out from the first thread on. Greatest element and sum of exponentials are joined together likewise.
#pragma once

#include "common/fast_math.cuh"
#include "gpuopt/kernel.h"
#include "norm/common/mean.cuh"

namespace gpuopt {

//               LAYERNORM                            RMSNORM            SOFTMAX, LOG_SOFTMAX
struct alignas(16) Moments {
  float count;  // of elements                        -                  -
  float mean;   // as one number                      -                  -
  float first;  // mean - that                        0                  the greatest element
  float
      second;  // of (element - mean)^2             of element^2       sum of exp(element - greatest), 0 if that is -inf
};

template <int kNorm>
constexpr bool kIsSoftmax = kNorm == GPUOPT_NORM_SOFTMAX || kNorm == GPUOPT_NORM_LOG_SOFTMAX;

template <int kNorm>
__device__ __forceinline__ Moments no_moments() {
  return {0.0f, 0.0f, kIsSoftmax<kNorm> ? -HUGE_VALF : 0.0f, 0.0f};
}

// NaN, where either is.
__device__ __forceinline__ float greater(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return b > a || b != b ? b : a;
#endif
}

// LAYERNORM's, of elements whose distances from one of them, the origin, have this sum, squares and mean. The squares are at
// least that one's own from the mean: what cancels is bounded by the count of elements, which is to be small.
__device__ __forceinline__ Moments moments_of_distances(float count, float origin, float sum, float squares,
                                                        float mean) {
  const SplitMean<float> split = split_mean(origin, mean);
  return {count, split.high, split.low, squares - sum * mean};
}
__device__ __forceinline__ Moments moments_of_distances(float count, float origin, float sum, float squares) {
  return moments_of_distances(count, origin, sum, squares, count > 0 ? __fdividef(sum, count) : 0.0f);
}

// What exponentials are taken from: a row of -inf alone has no other.
__device__ __forceinline__ float pivot(float greatest) { return greatest == -HUGE_VALF ? 0.0f : greatest; }

// Of kLanes neighbouring lanes (`lanes` of them where that is 0), a power of two; all get the result. total: the
// elements of all of them, as the caller knows it.
template <int kNorm, int kLanes>
__device__ __forceinline__ Moments join_lanes(const Moments &m, float total, int lanes = kLanes) {
  const auto over_lanes = [lanes](float value, auto join) {
    if constexpr (kLanes != 0) {
#pragma unroll
      for (int offset = kLanes / 2; offset > 0; offset /= 2) value = join(value, __shfl_xor_sync(~0u, value, offset));
    } else {
      for (int offset = lanes / 2; offset > 0; offset /= 2) value = join(value, __shfl_xor_sync(~0u, value, offset));
    }
    return value;
  };
  const auto sum = [&](float value) { return over_lanes(value, [](float a, float b) { return a + b; }); };
  if constexpr (kNorm == GPUOPT_NORM_RMSNORM) {
    return {total, 0.0f, 0.0f, sum(m.second)};
  } else if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
    const float origin = __shfl_sync(~0u, m.mean, 0, kLanes != 0 ? kLanes : lanes);
    const float of_lane = (m.mean - origin) + m.first, all = sum(m.count * of_lane);
    const float mean = total > 0 ? __fdividef(all, total) : 0.0f;
    const float d = of_lane - mean;
    const SplitMean<float> split = split_mean(origin, mean);
    return {total, split.high, split.low, sum(m.second + m.count * d * d)};
  } else {
    const float greatest = over_lanes(m.first, [](float a, float b) { return greater(a, b); });
    return {total, 0.0f, greatest, sum(m.second * fast::exp(m.first - pivot(greatest)))};
  }
}

// The elements of all lanes of the warp.
__device__ __forceinline__ float count_of_warp(float count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return static_cast<float>(__reduce_add_sync(~0u, static_cast<unsigned>(count)));
#else
  for (int offset = 16; offset > 0; offset /= 2) count += __shfl_xor_sync(~0u, count, offset);
  return count;
#endif
}

}  // namespace gpuopt
