// fp8 and bf16 from and to float. Devices have instructions for fp8 from 8.9 on and for rounding to bf16 from 8.0 on; what
// stands for them before, and on the host, is a few operations without a branch. The toolkit's headers go through double there,
// and normalize in a loop: five times the instructions, which are what a file full of conversions is long in compiling.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace gpuopt {

template <class T>
constexpr bool is_fp8 = std::is_same_v<T, __nv_fp8_e4m3> || std::is_same_v<T, __nv_fp8_e5m2>;
template <class T>
constexpr __nv_fp8_interpretation_t kFp8Kind = std::is_same_v<T, __nv_fp8_e4m3> ? __NV_E4M3 : __NV_E5M2;

namespace emulated {

__host__ __device__ __forceinline__ uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// Exact; NaN is one.
template <class T>
__host__ __device__ __forceinline__ float fp8_to_float(uint8_t x) {
  constexpr bool kE4m3 = std::is_same_v<T, __nv_fp8_e4m3>;
  __half_raw half;  // e5m2 is the upper half of one; e4m3 has one bit less of exponent, and with it a bias less by 8
  half.x = static_cast<uint16_t>(kE4m3 ? (x & 0x80) << 8 | (x & 0x7f) << 7 : x << 8);
  const float value = __half2float(__half(half));
  if constexpr (!kE4m3) return value;
  return (x & 0x7f) == 0x7f ? NAN : value * 256;
}

// To nearest even; what does not fit saturates; NaN is the one without a sign.
template <class T>
__host__ __device__ __forceinline__ uint8_t float_to_fp8(float x) {
  constexpr bool kE4m3 = std::is_same_v<T, __nv_fp8_e4m3>;
  constexpr int kFraction = kE4m3 ? 3 : 2, kBias = kE4m3 ? 7 : 15, kDropped = 23 - kFraction;
  constexpr float kLargest = kE4m3 ? 448 : 57344, kLeastNormal = kE4m3 ? 0x1p-6f : 0x1p-14f;
  constexpr float kSteps = kE4m3 ? 0x1p14f : 0x1p7f;  // its last bit is worth what the least subnormal number is
  const uint32_t sign = bits_of(x) >> 24 & 0x80;
  const float size = fminf(fabsf(x), kLargest);
  const uint32_t bits = bits_of(size), odd = bits >> kDropped & 1;
  const uint32_t normal = ((bits + odd + ((1u << (kDropped - 1)) - 1)) >> kDropped) - ((127 - kBias) << kFraction);
  const uint32_t subnormal = bits_of(size + kSteps) - bits_of(kSteps);
  const uint32_t pattern = sign | (size < kLeastNormal ? subnormal : normal);
  return static_cast<uint8_t>(x != x ? 0x7f : pattern);
}

// To nearest even; what does not fit is infinite; NaN is the one without a sign.
__host__ __device__ __forceinline__ uint16_t float_to_bf16(float x) {
  const uint32_t bits = bits_of(x);
  return static_cast<uint16_t>(x != x ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace emulated

template <class T>
__host__ __device__ __forceinline__ float widen_fp8(T x) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 890
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(x.__x, kFp8Kind<T>)));
#else
  return emulated::fp8_to_float<T>(x.__x);
#endif
}

// Of the two in the lower half of a word, the lower first.
template <class T>
__device__ __forceinline__ float2 widen_fp8_pair(uint32_t pair) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 890
  return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(pair), kFp8Kind<T>)));
#else
  return {emulated::fp8_to_float<T>(static_cast<uint8_t>(pair)),
          emulated::fp8_to_float<T>(static_cast<uint8_t>(pair >> 8))};
#endif
}

template <class T>
__host__ __device__ __forceinline__ T narrow_fp8(float x) {
  T y;
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 890
  y.__x = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, kFp8Kind<T>);
#else
  y.__x = emulated::float_to_fp8<T>(x);
#endif
  return y;
}

// Two are one instruction: the first in the lower byte.
template <class T>
__device__ __forceinline__ uint32_t narrow_fp8_pair(float first, float second) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 890
  return __nv_cvt_float2_to_fp8x2(make_float2(first, second), __NV_SATFINITE, kFp8Kind<T>);
#else
  return emulated::float_to_fp8<T>(first) | emulated::float_to_fp8<T>(second) << 8;
#endif
}

__host__ __device__ __forceinline__ __nv_bfloat16 narrow_bf16(float x) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
  return __float2bfloat16_rn(x);
#else
  __nv_bfloat16_raw raw;
  raw.x = emulated::float_to_bf16(x);
  return __nv_bfloat16(raw);
#endif
}

// The first in the lower half.
__device__ __forceinline__ __nv_bfloat162 narrow_bf16_pair(float first, float second) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
  return __floats2bfloat162_rn(first, second);
#else
  return {narrow_bf16(first), narrow_bf16(second)};
#endif
}

}  // namespace gpuopt
