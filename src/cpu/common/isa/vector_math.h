/* exp, log, tanh, the normal distribution and square roots of fp32 vectors, to a few units in the last place.
 *
 * Select instead of branch: both sides are computed in every lane, so the side thrown away must not stray into
 * subnormals, which cost a microcode assist a vector. Comparisons are written so that NaN stays NaN.
 */
#pragma once

#include "simd.h"

namespace {

/* e^x for x in [least, 89], clamped to it: e^r 2^n with n the nearest integer to x / ln 2, |r| <= ln 2 / 2. The Taylor
 * polynomial of degree 7 ends below 6e-9. 2^n in two factors, so that n may exceed the exponent range at either end. */
GPUOPT_INLINE vfloat exp_clamped(vfloat x, float least) {
  const float kRound = 12582912.0f; /* 1.5 * 2^23: adding it leaves the integer in the low bits */
  x = x < least ? splat(least) : x;
  x = x > 89.0f ? splat(89.0f) : x;
  const vfloat shifted = x * 1.44269504f + kRound;
  const vfloat n = shifted - kRound;
  const vfloat r = (x - n * 0.693145752f) - n * 1.42860682e-6f; /* ln 2 in two parts; n times the first is exact */
  vfloat p = r * (1.0f / 5040) + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const vint exponent = (vint)((vuint)shifted - 0x4b400000u); /* unsigned: NaN brings any bits here */
  const vint half = exponent >> 1;
  return p * (vfloat)((vuint)(half + 127) << 23) * (vfloat)((vuint)(exponent - half + 127) << 23);
}

/* Down to the least subnormal, and 0 below. */
GPUOPT_INLINE vfloat exp_full(vfloat x) { return exp_clamped(x, -105.0f); }
/* 1.6e-38 for everything below -87: for sums with something larger. */
GPUOPT_INLINE vfloat exp_normal(vfloat x) { return exp_clamped(x, -87.0f); }

/* ln(2^e m) with m in [sqrt 1/2, sqrt 2): 2 atanh(s), s = (m - 1) / (m + 1), s^2 <= 0.0295. */
GPUOPT_INLINE vfloat log_full(vfloat x) {
  const vint subnormal = x < 0x1p-126f;
  const vfloat scaled = subnormal ? x * 0x1p24f : x;
  const vint offset = (vint)((vuint)scaled - 0x3f3504f3u); /* sqrt 1/2 */
  const vint exponent = offset >> 23;
  const vfloat m = (vfloat)((vuint)scaled - ((vuint)exponent << 23));
  const vfloat e = __builtin_convertvector(exponent - (subnormal & 24), vfloat);
  const vfloat s = (m - 1.0f) / (m + 1.0f), z = s * s;
  vfloat p = z * (1.0f / 9) + 1.0f / 7;
  p = p * z + 1.0f / 5;
  p = p * z + 1.0f / 3;
  vfloat y = s * 2.0f;
  y = y + (y * z * p + e * 1.42860682e-6f);
  y = y + e * 0.693145752f;
  y = x == __builtin_inff() ? x : y;
  y = x == 0.0f ? splat(-__builtin_inff()) : y;
  return x >= 0.0f ? y : (x < 0.0f ? splat(__builtin_nanf("")) : x);
}

GPUOPT_INLINE vfloat absolute(vfloat x) { return (vfloat)((vint)x & 0x7fffffff); }

/* 1 - 2 / (e^2|x| + 1), and near 0, where that cancels, x + x^3 P(x^2), P within 6e-8 for x^2 <= 0.42. */
GPUOPT_INLINE vfloat tanh_full(vfloat x) {
  const vfloat a = absolute(x), z = x * x;
  const vfloat far = 1.0f - 2.0f / (exp_normal(a + a) + 1.0f);
  vfloat p = z * -0.005937062773f + 0.02088334743f;
  p = p * z - 0.05382600691f;
  p = p * z + 0.1333259966f;
  p = p * z - 0.3333332719f;
  const vfloat near = x + x * (z * p);
  const vfloat signed_far = (vfloat)((vint)far | ((vint)x & (int32_t)0x80000000));
  return a < 0.64f ? near : (x != x ? x : signed_far);
}

GPUOPT_INLINE vfloat sigmoid_full(vfloat x) { return 1.0f / (exp_normal(-x) + 1.0f); }

/* x * x - square, exactly, where square is x * x rounded; 0 on machines without a fused multiply-add. */
GPUOPT_INLINE vfloat product_error(vfloat x, vfloat square) {
#if defined(__x86_64__) && GPUOPT_VECTOR_BYTES == 64
  return (vfloat)_mm512_fmsub_ps((__m512)x, (__m512)x, (__m512)square);
#elif defined(__x86_64__) && GPUOPT_VECTOR_BYTES == 32
  return (vfloat)_mm256_fmsub_ps((__m256)x, (__m256)x, (__m256)square);
#elif defined(__aarch64__)
  return (vfloat)vfmaq_f32(-(float32x4_t)square, (float32x4_t)x, (float32x4_t)x);
#else
  (void)x;
  (void)square;
  return splat(0.0f);
#endif
}

/* The standard normal distribution at x and, in density, e^(-x^2 / 2). For negative x the form e^(-x^2 / 2) t Q(t),
 * t = 1 / (1 + 0.3 |x|), keeps its digits; Q is a fit within 2.6e-8 for |x| <= 14.5. */
GPUOPT_INLINE vfloat normal_cdf(vfloat x, vfloat &density) {
  const vfloat a = absolute(x);
  const vfloat square = x * x;
  vfloat e = exp_clamped(square * -0.5f, -80.0f);
  /* What rounding took from the square, up to 5e-6 of the result far out; not asked for where the square overflows. */
  const vfloat lost = product_error(x, square);
  e = a < 14.0f ? e - e * 0.5f * lost : e;
  e = a > 12.6f ? splat(0.0f) : e;
  const vfloat t = 1.0f / (a * 0.3f + 1.0f);
  vfloat q = t * 0.002164514877f + 0.02614223708f;
  q = q * t - 0.1394812917f;
  q = q * t + 0.1882210851f;
  q = q * t - 0.04252897014f;
  q = q * t + 0.1243381328f;
  q = q * t + 0.1008752734f;
  q = q * t + 0.1206333562f;
  q = q * t + 0.1196356839f;
  const vfloat tail = e * (q * t);
  density = e;
  return x < 0.0f ? tail : 1.0f - tail;
}

GPUOPT_INLINE vfloat square_root(vfloat x) {
#if defined(__x86_64__) && GPUOPT_VECTOR_BYTES == 64
  return (vfloat)_mm512_maskz_sqrt_ps(0xffff, (__m512)x);
#elif defined(__x86_64__) && GPUOPT_VECTOR_BYTES == 32
  return (vfloat)_mm256_sqrt_ps((__m256)x);
#elif defined(__x86_64__)
  return (vfloat)_mm_sqrt_ps((__m128)x);
#elif defined(__aarch64__)
  return (vfloat)vsqrtq_f32((float32x4_t)x);
#else
  vfloat y;
  for (int i = 0; i < kFloats; ++i) y[i] = __builtin_sqrtf(x[i]);
  return y;
#endif
}

}  // namespace
