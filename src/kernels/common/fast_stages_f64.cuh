// The same for chains in fp32 and in fp64, whose functions are those of fast_math_f64.cuh.
#pragma once

#include "common/fast_math_f64.cuh"
#include "common/fast_stages.cuh"

namespace gpuopt {

struct FastMathF64 : FastMath {
  using FastMath::clamp;
  // RELU is a lower bound of 0, which -0 becomes as well.
  static __device__ __forceinline__ double clamp(double x, double low, double high) {
    x = x <= low ? low : x;
    return x > high ? high : x;
  }
#define GPUOPT_FAST_(name) \
  using FastMath::name;    \
  static __device__ __forceinline__ double name(double x) { return fast::name(x); }
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
