// Elements whose type is a run-time fact, loaded by their size alone: K of them as 32-bit words (common/bits.cuh), one
// switch over the type for all that a thread holds, and conversions of two or four elements an instruction where the
// hardware has them.
#pragma once

#include "common/bits.cuh"

namespace gpuopt {

template <int kBytes>
using UnsignedOf =
    std::conditional_t<kBytes == 1, uint8_t,
                       std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;

// K elements of so many bytes.
template <int kBytes, int K>
using Words = Bits<UnsignedOf<kBytes>, K>;

template <class T>
constexpr bool is_byte = std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>;

template <class T, class C, int K>
__device__ __forceinline__ void widen_words(const Words<sizeof(T), K> &words, C (&x)[K]) {
  if constexpr (is_fp8<T> && kHasFp8 && std::is_same_v<C, float>) {
#pragma unroll
    for (int e = 0; e < K; e += 2) {
      const auto pair = static_cast<__nv_fp8x2_storage_t>(words.w[e / 4] >> (e % 4 * 8));
      const float2 two = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(pair, kFp8Kind<T>)));
      x[e] = two.x;
      x[e + 1] = two.y;
    }
  } else {
    widen_bits(bits_as<Bits<T, K>>(words), x);
  }
}

// low << 16 | high byte a | low byte b, both saturated; no intrinsic does this.
template <class T>
__device__ __forceinline__ uint32_t saturate_pack(int32_t a, int32_t b, uint32_t low) {
  uint32_t packed;
  if constexpr (std::is_same_v<T, int8_t>)
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(a), "r"(b), "r"(low));
  else
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(a), "r"(b), "r"(low));
  return packed;
}

template <class T, class C, int K>
__device__ __forceinline__ Words<sizeof(T), K> narrow_words(const C (&x)[K]) {
  if constexpr (is_fp8<T> && kHasFp8 && std::is_same_v<C, float>) {
    Words<1, K> words = {};
#pragma unroll
    for (int e = 0; e < K; e += 2) {
      const uint32_t two = __nv_cvt_float2_to_fp8x2(make_float2(x[e], x[e + 1]), __NV_SATFINITE, kFp8Kind<T>);
      words.w[e / 4] |= two << (e % 4 * 8);
    }
    return words;
  } else if constexpr (is_byte<T> && std::is_same_v<C, float>) {
    Words<1, K> words;
#pragma unroll
    for (int w = 0; w < K / 4; ++w) {  // NaN is 0 by the first conversion
      int32_t i[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) i[e] = __float2int_rn(x[4 * w + e]);
      words.w[w] = saturate_pack<T>(i[1], i[0], saturate_pack<T>(i[3], i[2], 0));
    }
    return words;
  } else {
    return bits_as<Words<sizeof(T), K>>(narrow_bits<T>(x));
  }
}

// Runs of K that follow each other in x, one a row.
template <class T, class C, int K, int kRuns, int V>
__device__ __forceinline__ void widen_rows(const Words<sizeof(T), K> (&words)[kRuns], C (&x)[V]) {
  static_assert(V == K * kRuns, "runs of K");
#pragma unroll
  for (int r = 0; r < kRuns; ++r) {
    C row[K];
    widen_words<T>(words[r], row);
#pragma unroll
    for (int e = 0; e < K; ++e) x[r * K + e] = row[e];
  }
}
template <class T, int K, class C, int V>
__device__ __forceinline__ Words<sizeof(T), K> narrow_row(const C (&x)[V], int r) {
  C row[K];
#pragma unroll
  for (int e = 0; e < K; ++e) row[e] = x[r * K + e];
  return narrow_words<T>(row);
}

// f(Type<T>{}) for the type of this size that dtype names.
template <int kBytes, class F>
__device__ __forceinline__ void with_type_of_size(int32_t dtype, F &&f) {
  if constexpr (kBytes == 8) {
    f(Type<double>{});
  } else if constexpr (kBytes == 4) {
    if (dtype == GPUOPT_F32) return f(Type<float>{});
    f(Type<int32_t>{});
  } else if constexpr (kBytes == 2) {
    if (dtype == GPUOPT_BF16) return f(Type<__nv_bfloat16>{});
    f(Type<__half>{});
  } else {
    if (dtype == GPUOPT_E4M3) return f(Type<__nv_fp8_e4m3>{});
    if (dtype == GPUOPT_E5M2) return f(Type<__nv_fp8_e5m2>{});
    if (dtype == GPUOPT_I8) return f(Type<int8_t>{});
    f(Type<uint8_t>{});
  }
}

__host__ __device__ __forceinline__ int bytes_of(int32_t dtype) {
  return dtype == GPUOPT_F64                           ? 8
         : dtype == GPUOPT_F32 || dtype == GPUOPT_I32  ? 4
         : dtype == GPUOPT_F16 || dtype == GPUOPT_BF16 ? 2
                                                       : 1;
}

// f(integral_constant<int, bytes>) for the size of dtype, of those from kLeast to kMost.
template <int kMost, int kLeast = 1, class F>
__device__ __forceinline__ void with_size(int32_t dtype, F &&f) {
  using std::integral_constant;
  const int bytes = bytes_of(dtype);
  if constexpr (kMost >= 8) {
    if (bytes == 8) return f(integral_constant<int, 8>{});
  }
  if constexpr (kMost >= 4) {
    if (bytes == 4) return f(integral_constant<int, 4>{});
  }
  if constexpr (kLeast == 1) {
    if (bytes == 1) return f(integral_constant<int, 1>{});
  }
  if constexpr (kMost >= 2) f(integral_constant<int, 2>{});
}

}  // namespace gpuopt
