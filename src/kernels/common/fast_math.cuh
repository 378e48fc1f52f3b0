// The stages' functions in fp32 at the speed of memory: one or two special-function instructions each, no slow path.
//
// Against exact arithmetic each is within what GPUOPT_STAGE_TABLE's functions may lose in a chain of fp32 (16 units in
// the last place; GELU and tanh also an absolute error of that size), so 16-bit results differ from the exact ones only
// where rounding is a tie within it. Results below 2^-126 flush to 0. NaN stays NaN; an infinite argument gives the
// limit or, where the formula is -inf * 0, NaN.
//
//   normal_tail  (1 - erf(a / sqrt 2)) / 2 = 2^(c0 + c1 a + ... + c5 a^5), a = |x|: absolute error below 4.5e-7 for all
//                a, relative error below 6e-5 up to a = 3, 5 % at a = 5, flushed to 0 from a = 11.4 on. The erf GELU
//                thus costs 1 special function and 8 instructions an element. Its error in fp32 arithmetic, with
//                ex2.approx at either end of its 2 ulp, is below 0.42 of what the stage may lose, 16 units of |x| and
//                of |gelu(x)|: counted for every a from 2^-20 on; below that it is the error at 0, as the tail's is.
//   exp          2^(x log2 e) by ex2.approx: relative error 2 ulp + 1.3 ulp |x|
//   tanh         1 - 2 / (e^2a + 1), and near 0, where that cancels, a + a^3 P(a^2), P within 6e-8 for a < 0.64
#pragma once

#include "common/fast_gelu.cuh"

namespace gpuopt {
namespace fast {

__device__ __forceinline__ float exp(float x) { return exp2(x * kLog2E); }
__device__ __forceinline__ float log(float x) { return __logf(x); }
__device__ __forceinline__ float silu_gradient(float a) {
  const float s = sigmoid(a);
  return s + a * s * (1.0f - s);
}

__device__ __forceinline__ float gelu_gradient(float x) {
  const float a = min_nan(fabsf(x), kTailEnd);
  const float tail = normal_tail(a), density = exp2(a * a * (-0.5f * kLog2E));  // but for its factor
  return (x < 0.0f ? tail : 1.0f - tail) + copysignf(a, x) * 0.39894228040143267794f * density;
}

constexpr float kTanhFar = 0.64f;
__device__ __forceinline__ float tanh_far(float x) {
  const float y = 1.0f - 2.0f * reciprocal_of_normal(1.0f + exp2(fabsf(x) * (2.0f * kLog2E)));
  return copysignf(y, x);
}
__device__ __forceinline__ float tanh_near(float x) {
  const float z = x * x;
  float p = z * -0.005937062773f + 0.02088334743f;
  p = p * z - 0.05382600691f;
  p = p * z + 0.1333259966f;
  p = p * z - 0.3333332719f;
  return x + x * (z * p);
}
__device__ __forceinline__ float tanh(float x) { return fabsf(x) < kTanhFar ? tanh_near(x) : tanh_far(x); }

}  // namespace fast
}  // namespace gpuopt
