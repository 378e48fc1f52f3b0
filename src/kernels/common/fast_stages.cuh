// The functions of stages at the speed of memory, in fp32: those of fast_math.cuh, and AccurateMath's where there is none.
#pragma once

#include "common/fast_math.cuh"
#include "common/stages.cuh"

namespace gpuopt {

struct FastMath : AccurateMath {
  using AccurateMath::clamp;
  static __device__ __forceinline__ float clamp(float x, float low, float high) {
    return fast::min_nan(fast::max_nan(x, low), high);
  }
  using AccurateMath::relu;
  static __device__ __forceinline__ float relu(float x) { return fast::max_nan(x, 0.0f); }
#define GPUOPT_FAST_(name)  \
  using AccurateMath::name; \
  static __device__ __forceinline__ float name(float x) { return fast::name(x); }
  GPUOPT_FAST_(exp)
  GPUOPT_FAST_(log)
  GPUOPT_FAST_(square_root)
  GPUOPT_FAST_(reciprocal)
  GPUOPT_FAST_(gelu)
  GPUOPT_FAST_(gelu_tanh)
  GPUOPT_FAST_(silu)
  GPUOPT_FAST_(sigmoid)
  GPUOPT_FAST_(tanh)
  GPUOPT_FAST_(gelu_gradient)
  GPUOPT_FAST_(silu_gradient)
#undef GPUOPT_FAST_
};

}  // namespace gpuopt
