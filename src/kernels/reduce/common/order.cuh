// Values of MIN, MAX, ARGMIN and ARGMAX in registers, in an order in which the sought extreme is the greatest.
//
// An extreme is a running maximum in the elements' own order, with one instruction an element, or for two elements of
// 16 bits, where the hardware has a maximum that propagates NaN; minima are maxima of sign-flipped values.
#pragma once

#include "common/bits.cuh"
#include "common/dtypes.cuh"
#include "reduce/common/ops.cuh"

namespace gpuopt {

// Values in the order in which the sought extreme is the greatest: Ordered<T> is float, double, int32_t or int64_t.
template <class T>
using Ordered = std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, int64_t, int32_t>,
                                   typename TypesOf<dtype_of<T>>::Computed>;

__device__ __forceinline__ float flip(float x, bool keep) {
  return __uint_as_float(__float_as_uint(x) ^ (keep ? 0u : 0x80000000u));
}
__device__ __forceinline__ double flip(double x, bool keep) {
  return __hiloint2double(__double2hiint(x) ^ (keep ? 0 : static_cast<int>(0x80000000)), __double2loint(x));
}
__device__ __forceinline__ int32_t flip(int32_t x, bool keep) { return x ^ (keep ? 0 : -1); }
__device__ __forceinline__ int64_t flip(int64_t x, bool keep) { return x ^ (keep ? 0 : -1); }

// The greater; NaN when either is.
template <class A>
__device__ __forceinline__ A greater_of(A a, A b) {
  if constexpr (std::is_integral_v<A>) {
    return b > a ? b : a;
  } else {
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<A, float>) {
      float r;
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
      return r;
    }
#endif
    return b > a || b != b ? b : a;
  }
}
// Whether a value comes before the best of those in front of it: a NaN is above all, the first one above the others.
template <class A>
__device__ __forceinline__ bool is_above(A x, A best) {
  if constexpr (std::is_integral_v<A>)
    return x > best;
  else
    return best == best && !(x <= best);
}
template <class A>
__device__ __forceinline__ A lowest() {
  if constexpr (std::is_integral_v<A>)
    return std::numeric_limits<A>::min();
  else
    return -std::numeric_limits<A>::infinity();
}
template <class T>
__device__ __forceinline__ Ordered<T> ordered(T x, bool keep) {
  return flip(static_cast<Ordered<T>>(widen<typename TypesOf<dtype_of<T>>::Computed>(x)), keep);
}

// Two values of 16 bits in a word, flipped: likewise the greater of each half.
#if __CUDA_ARCH__ >= 800
template <class T>
constexpr bool kIsPaired = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
#else
template <class T>
constexpr bool kIsPaired = false;
#endif
constexpr uint32_t kFlipOfPair = 0x80008000u;
template <class T>
constexpr uint32_t kLowestPair = std::is_same_v<T, __half> ? 0xfc00fc00u : 0xff80ff80u;  // -infinity twice
template <class T>
__device__ __forceinline__ uint32_t greater_of_pairs(uint32_t a, uint32_t b) {
  if constexpr (std::is_same_v<T, __half>)
    return bits_as<uint32_t>(__hmax2_nan(bits_as<__half2>(a), bits_as<__half2>(b)));
  else
    return bits_as<uint32_t>(__hmax2_nan(bits_as<__nv_bfloat162>(a), bits_as<__nv_bfloat162>(b)));
}
template <class T>
__device__ __forceinline__ float value_of_pair(uint32_t pair, int half) {
  if constexpr (std::is_same_v<T, __half>)
    return half == 0 ? __low2float(bits_as<__half2>(pair)) : __high2float(bits_as<__half2>(pair));
  else
    return __uint_as_float(half == 0 ? pair << 16 : pair & 0xffff0000u);
}

// The greatest of a vector, flipped.
template <class T, int N>
__device__ __forceinline__ Ordered<T> greatest_of(const Pack<T, N> &x, bool keep) {
  if constexpr (kIsPaired<T> && N >= 2) {
    const auto bits = bits_as<Bits<T, N>>(x);
    const uint32_t flip_pair = keep ? 0 : kFlipOfPair;
    uint32_t pair = bits.w[0] ^ flip_pair;
#pragma unroll
    for (int w = 1; w < N / 2; ++w) pair = greater_of_pairs<T>(pair, bits.w[w] ^ flip_pair);
    return greater_of(value_of_pair<T>(pair, 0), value_of_pair<T>(pair, 1));
  } else {
    Ordered<T> most = ordered<T>(x.v[0], keep);
#pragma unroll
    for (int e = 1; e < N; ++e) most = greater_of(most, ordered<T>(x.v[e], keep));
    return most;
  }
}

// The key (ops.cuh) of a flipped value.
template <class C, class A>
__device__ __forceinline__ Key<C> key_of_ordered(A x, int32_t most) {
  return to_key(static_cast<C>(flip(x, most != 0)), most);
}

}  // namespace gpuopt
