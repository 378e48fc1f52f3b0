// Elements of every gpuopt data type on the device: one place for storage types, conversions, loads and stores.
//
// Three computing types exist: float, double and int64_t (sums of integers). widen<C>() goes from a stored element to a computing
// type, narrow<T>() back, rounding once: to nearest even; fp8 and integers saturate; NaN becomes integer 0 and stays NaN in fp8.
// A type's number: dtypes.cuh; types that only the run knows: with_dtype.cuh. Hosts and all compute capabilities have all of it.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "gpuopt/kernel.h"

namespace gpuopt {

template <class T>
struct Type {
  using type = T;
};

template <class T>
constexpr bool is_e4m3 = std::is_same_v<T, __nv_fp8_e4m3>;
template <class T>
constexpr bool is_fp8 = is_e4m3<T> || std::is_same_v<T, __nv_fp8_e5m2>;
template <class T>
constexpr __nv_fp8_interpretation_t kFp8Kind = is_e4m3<T> ? __NV_E4M3 : __NV_E5M2;

#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 890
constexpr bool kHasFp8 = true;
#else
constexpr bool kHasFp8 = false;
#endif

// What stands for fp8's instructions on devices before 8.9 and on the host: a few operations and no branch, where the toolkit's
// headers go through double and normalize in a loop. NaN is the one without a sign.
template <class T>
__host__ __device__ __forceinline__ float emulated_widen(uint8_t x) {
  __half_raw half;  // e5m2 is the upper half of one; e4m3 has one bit less of exponent, and with it a bias less by 8
  half.x = static_cast<uint16_t>(is_e4m3<T> ? (x & 0x80) << 8 | (x & 0x7f) << 7 : x << 8);
  const float value = __half2float(__half(half));
  return !is_e4m3<T> ? value : (x & 0x7f) == 0x7f ? NAN : value * 256;
}
template <class T>
__host__ __device__ __forceinline__ uint8_t emulated_narrow(float x) {
  constexpr int kDropped = is_e4m3<T> ? 20 : 21;                       // bits of a fraction
  constexpr uint32_t kLeast = is_e4m3<T> ? 0x46800000u : 0x43000000u;  // its last bit is the least subnormal number
  const float size = fminf(fabsf(x), is_e4m3<T> ? 448.0f : 57344.0f);
  uint32_t steps, bits;
  memcpy(&steps, &size, sizeof size);
  steps = (steps & 0x7f800000) + (kDropped << 23);  // the last bit of the size that is kept is this number's last
  if (steps < kLeast) steps = kLeast;
  float rounded;
  memcpy(&rounded, &steps, sizeof steps);
  rounded += size;
  memcpy(&bits, &rounded, sizeof rounded);
  const uint32_t pattern = bits - steps + ((steps - kLeast) >> kDropped);
  return static_cast<uint8_t>(x != x ? 0x7f : std::signbit(x) ? pattern | 0x80 : pattern);
}

// A stored element as computing type C. Exact, but for f64 to float and large integers to float.
template <class C, class T>
__host__ __device__ __forceinline__ C widen(T x) {
  if constexpr (std::is_same_v<T, __half>) {
    return static_cast<C>(__half2float(x));
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<C>(__bfloat162float(x));
  } else if constexpr (is_fp8<T> && kHasFp8) {
    return static_cast<C>(__half2float(__half(__nv_cvt_fp8_to_halfraw(x.__x, kFp8Kind<T>))));
  } else if constexpr (is_fp8<T>) {
    return static_cast<C>(emulated_widen<T>(x.__x));
  } else {
    return static_cast<C>(x);
  }
}

// To the nearest integer, halves to even, saturating; NaN gives 0 (the hardware's own rule differs for f64 and s64).
template <class Integer, class F>
__host__ __device__ __forceinline__ Integer saturate_round(F x) {
  using Limits = std::numeric_limits<Integer>;
  constexpr F kLow = static_cast<F>(Limits::min());
  constexpr F kPastHigh = static_cast<F>(Limits::max() / 2 + 1) * 2;  // a power of two, exact in float
  if (x != x) return 0;
  x = rint(x);
  if (x <= kLow) return Limits::min();
  if (x >= kPastHigh) return Limits::max();
  return static_cast<Integer>(x);
}

// A computed value as a stored element: the one rounding of a chain. C is float, double or int64_t.
template <class T, class C>
__host__ __device__ __forceinline__ T narrow(C x) {
  if constexpr (std::is_same_v<T, C>) {
    return x;
  } else if constexpr (std::is_same_v<T, __half>) {
    if constexpr (std::is_same_v<C, float>)
      return __float2half_rn(x);
    else
      return __double2half(static_cast<double>(x));
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    if constexpr (std::is_same_v<C, float>)
      return __float2bfloat16_rn(x);
    else
      return __double2bfloat16(static_cast<double>(x));
  } else if constexpr (is_fp8<T>) {
    T y;
    if constexpr (!std::is_same_v<C, float>)
      y.__x = __nv_cvt_double_to_fp8(static_cast<double>(x), __NV_SATFINITE, kFp8Kind<T>);
    else if constexpr (kHasFp8)
      y.__x = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, kFp8Kind<T>);
    else
      y.__x = emulated_narrow<T>(x);
    return y;
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<C>) {
    using Limits = std::numeric_limits<T>;
    return x < static_cast<C>(Limits::min())   ? Limits::min()
           : x > static_cast<C>(Limits::max()) ? Limits::max()
                                               : static_cast<T>(x);
  } else if constexpr (std::is_integral_v<T>) {
    return saturate_round<T>(x);
  } else {
    return static_cast<T>(x);
  }
}

// N neighbours in one memory access: align them by loading and storing whole packs.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T v[N];
};

}  // namespace gpuopt
