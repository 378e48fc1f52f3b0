// SiLU and GELU in fp32, and what the stages' other functions are made of, too (fast_math.cuh, which says how exact).
#pragma once

#include "common/normal_tail.h"

namespace gpuopt {
namespace fast {

// No intrinsic has the flushing forms, which need no fix-up of subnormal arguments and results.
#define GPUOPT_APPROX_(name, instruction)               \
  __device__ __forceinline__ float name(float x) {      \
    float y;                                            \
    asm(instruction ".f32 %0, %1;" : "=f"(y) : "f"(x)); \
    return y;                                           \
  }
GPUOPT_APPROX_(exp2, "ex2.approx.ftz")
GPUOPT_APPROX_(reciprocal_of_normal, "rcp.approx.ftz")
GPUOPT_APPROX_(reciprocal, "rcp.approx")
GPUOPT_APPROX_(square_root, "sqrt.approx")
#undef GPUOPT_APPROX_

// The larger and the smaller; NaN if either is.
#if __CUDA_ARCH__ >= 800
#define GPUOPT_NAN_(name, instruction, otherwise)                       \
  __device__ __forceinline__ float name(float x, float y) {             \
    float z;                                                            \
    asm(instruction ".NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); \
    return z;                                                           \
  }
#else
#define GPUOPT_NAN_(name, instruction, otherwise) \
  __device__ __forceinline__ float name(float x, float y) { return otherwise; }
#endif
GPUOPT_NAN_(max_nan, "max", x < y ? y : x)
GPUOPT_NAN_(min_nan, "min", x > y ? y : x)
#undef GPUOPT_NAN_

constexpr float kLog2E = 1.44269504088896340736f;

__device__ __forceinline__ float sigmoid(float x) { return reciprocal_of_normal(1.0f + exp2(x * -kLog2E)); }
__device__ __forceinline__ float silu(float x) { return x * sigmoid(x); }
// x / (1 + exp(-2u)), u = sqrt(2 / pi) (x + 0.044715 x^3).
__device__ __forceinline__ float gelu_tanh(float x) {
  constexpr float kLinear = -2.0f * 0.79788456080286535588f * kLog2E;
  const float exponent = x * (kLinear + kLinear * 0.044715f * x * x);
  return x * reciprocal_of_normal(1.0f + exp2(exponent));
}

// The normal distribution at -a, 0 <= a <= kTailEnd.
__device__ __forceinline__ float normal_tail(float a) { return exp2(tail_exponent(a)); }
__device__ __forceinline__ float gelu(float x) {
  const float a = min_nan(fabsf(x), kTailEnd);  // so that infinities meet no 0
  return fmaxf(x, 0.0f) - a * normal_tail(a);
}

}  // namespace fast
}  // namespace gpuopt
