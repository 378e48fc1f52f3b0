// The stages' functions in fp32 at the speed of memory: one or two special-function instructions each, no slow path.
//
// Against exact arithmetic each is within what GPUOPT_STAGE_TABLE's functions may lose in a chain of fp32 (16 units in
// the last place; GELU and tanh also an absolute error of that size), so 16-bit results differ from the exact ones only
// where rounding is a tie within it. Results below 2^-126 flush to 0. NaN stays NaN; an infinite argument gives the
// limit or, where the formula is -inf * 0, NaN.
//
//   normal_cdf   tail = exp(-a^2 / 2) (c1 t + ... + c5 t^5), t = 1 / (1 + 0.23 a), a = |x|: a minimax fit of
//                (1 + erf) / 2 with an absolute error of 1.3e-7 for all a, from which 1 - tail or tail is taken. So the
//                erf GELU costs 2 special functions and 15 instructions an element and keeps up with memory in bf16.
//   exp          2^(x log2 e) by ex2.approx: relative error 2 ulp + 1.3 ulp |x|
//   tanh         1 - 2 / (e^2a + 1), and near 0, where that cancels, a + a^3 P(a^2), P within 6e-8 for a < 0.64
#ifndef GPUOPT_KERNELS_COMMON_FAST_MATH_CUH
#define GPUOPT_KERNELS_COMMON_FAST_MATH_CUH

namespace gpuopt {
namespace fast {

// No intrinsic has the flushing forms, which need no fix-up of subnormal arguments and results.
__device__ __forceinline__ float exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float reciprocal_of_normal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float reciprocal(float x) {
  float y;
  asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float square_root(float x) {
  float y;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// The larger and the smaller; NaN if either is.
__device__ __forceinline__ float max_nan(float x, float y) {
#if __CUDA_ARCH__ >= 800
  float z;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
  return z;
#else
  return x < y ? y : x;
#endif
}
__device__ __forceinline__ float min_nan(float x, float y) {
#if __CUDA_ARCH__ >= 800
  float z;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
  return z;
#else
  return x > y ? y : x;
#endif
}

constexpr float kLog2E = 1.44269504088896340736f;

__device__ __forceinline__ float exp(float x) { return exp2(x * kLog2E); }
__device__ __forceinline__ float log(float x) { return __logf(x); }
__device__ __forceinline__ float sigmoid(float x) { return reciprocal_of_normal(1.0f + exp2(x * -kLog2E)); }
__device__ __forceinline__ float silu(float x) { return x * sigmoid(x); }
__device__ __forceinline__ float silu_gradient(float a) {
  const float s = sigmoid(a);
  return s + a * s * (1.0f - s);
}

// x / (1 + exp(-2u)), u = sqrt(2 / pi) (x + 0.044715 x^3).
__device__ __forceinline__ float gelu_tanh(float x) {
  constexpr float kLinear = -2.0f * 0.79788456080286535588f * kLog2E;
  const float exponent = x * (kLinear + kLinear * 0.044715f * x * x);
  return x * reciprocal_of_normal(1.0f + exp2(exponent));
}

// The normal distribution at -|x| and, in density, exp(-x^2 / 2).
__device__ __forceinline__ float normal_tail(float x, float &density) {
  const float magnitude = fabsf(x);
  const float a = magnitude > 64.0f ? 64.0f : magnitude;  // so that infinities meet no 0; NaN stays
  const float t = reciprocal_of_normal(1.0f + 0.23f * a);
  density = exp2(a * a * (-0.5f * kLog2E));
  float q = t * 0.5711005775255878f - 0.8251047354897939f;
  q = q * t + 0.805575639864518f;
  q = q * t - 0.18571657175860157f;
  q = q * t + 0.13414497033006795f;
  return density * (q * t);
}
__device__ __forceinline__ float gelu(float x) {
  float density;
  const float tail = normal_tail(x, density);
  const float magnitude = fabsf(x) > 64.0f ? 64.0f : fabsf(x);
  return fmaxf(x, 0.0f) - magnitude * tail;
}
__device__ __forceinline__ float gelu_gradient(float a) {
  float density;
  const float tail = normal_tail(a, density);
  const float slope = (a < 0.0f ? tail : 1.0f - tail);
  const float bounded = fabsf(a) > 64.0f ? 0.0f : a;  // there the density is 0
  return slope + bounded * 0.39894228040143267794f * density;
}

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
__device__ __forceinline__ float tanh(float x) { return fabsf(x) < 0.64f ? tanh_near(x) : tanh_far(x); }

}  // namespace fast
}  // namespace gpuopt

#endif
