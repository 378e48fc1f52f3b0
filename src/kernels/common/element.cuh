// Elements of every gpuopt data type on the device: one place for storage types, conversions, loads and stores.
//
// Three computing types exist: float, double and int64_t (sums of integers). widen<C>() goes from a stored element to a computing
// type, narrow<T>() back, rounding once: to nearest even; fp8 and integers saturate; NaN becomes integer 0 and stays NaN in fp8.
// Where the type is known only at run time: with_dtype.cuh. All of it also compiles for the host, and fp8 and bf16 work on every
// compute capability (small_floats.cuh stands for what the hardware lacks).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/small_floats.cuh"
#include "gpuopt/kernel.h"

namespace gpuopt {

template <class T>
struct Type {
  using type = T;
};

// T of the storage type for each GPUOPT_<dtype> but B128, and the number for each T.
template <class T>
constexpr int32_t dtype_of = 0;
template <>
inline constexpr int32_t dtype_of<float> = GPUOPT_F32;
template <>
inline constexpr int32_t dtype_of<double> = GPUOPT_F64;
template <>
inline constexpr int32_t dtype_of<__half> = GPUOPT_F16;
template <>
inline constexpr int32_t dtype_of<__nv_bfloat16> = GPUOPT_BF16;
template <>
inline constexpr int32_t dtype_of<__nv_fp8_e4m3> = GPUOPT_E4M3;
template <>
inline constexpr int32_t dtype_of<__nv_fp8_e5m2> = GPUOPT_E5M2;
template <>
inline constexpr int32_t dtype_of<int8_t> = GPUOPT_I8;
template <>
inline constexpr int32_t dtype_of<uint8_t> = GPUOPT_U8;
template <>
inline constexpr int32_t dtype_of<int32_t> = GPUOPT_I32;
template <>
inline constexpr int32_t dtype_of<int64_t> = GPUOPT_I64;

// Bytes of one element; also for B128.
__host__ __device__ constexpr int dtype_bytes(int32_t dtype) {
#define GPUOPT_X_(name, value, bytes, text, cls, what) \
  if (dtype == value) return bytes;
  GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  return 0;
}

// A stored element as computing type C. Exact, but for f64 to float and large integers to float.
template <class C, class T>
__host__ __device__ __forceinline__ C widen(T x) {
  if constexpr (std::is_same_v<T, __half>) {
    return static_cast<C>(__half2float(x));
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<C>(__bfloat162float(x));
  } else if constexpr (is_fp8<T>) {
    return static_cast<C>(widen_fp8(x));
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
      return narrow_bf16(x);
    else
      return __double2bfloat16(static_cast<double>(x));
  } else if constexpr (is_fp8<T>) {
    if constexpr (std::is_same_v<C, float>) {
      return narrow_fp8<T>(x);
    } else {
      T y;
      y.__x = __nv_cvt_double_to_fp8(static_cast<double>(x), __NV_SATFINITE, kFp8Kind<T>);
      return y;
    }
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
template <class T, class C, int N>
__device__ __forceinline__ Pack<T, N> narrow_pack(const C (&from)[N]) {
  Pack<T, N> to;
#pragma unroll
  for (int e = 0; e < N; ++e) to.v[e] = narrow<T>(from[e]);
  return to;
}

}  // namespace gpuopt
