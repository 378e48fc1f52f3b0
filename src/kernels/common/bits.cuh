// K elements of one type as 32-bit words: the form in which a vector kernel loads, keeps and stores them. Elements of
// 16 bits stay two to a register until they are used, and are converted two at a time on the way back.
#pragma once

#include <cstring>

#include "common/element.cuh"

namespace gpuopt {

template <class T, int K>
struct Bits {
  static_assert(K * sizeof(T) % 4 == 0, "whole words");
  static constexpr int kWords = K * sizeof(T) / 4;
  uint32_t w[kWords];
};

// Bytes that one access of a run moves, and so what its address must be a multiple of.
template <class T, int K>
constexpr int kAccessBytes = K * sizeof(T) < 16 ? K * sizeof(T) : 16;

template <int kBytes>
struct alignas(kBytes) Access {
  uint32_t w[kBytes / 4];
};

template <class T, int K>
__device__ __forceinline__ Bits<T, K> load_bits(const T *from) {
  using Piece = Access<kAccessBytes<T, K>>;
  Bits<T, K> bits;
#pragma unroll
  for (int i = 0; i < Bits<T, K>::kWords; i += kAccessBytes<T, K> / 4) {
    const Piece piece = *reinterpret_cast<const Piece *>(reinterpret_cast<const uint32_t *>(from) + i);
#pragma unroll
    for (int j = 0; j < kAccessBytes<T, K> / 4; ++j) bits.w[i + j] = piece.w[j];
  }
  return bits;
}
template <class T, int K>
__device__ __forceinline__ void store_bits(T *to, const Bits<T, K> &bits) {
  using Piece = Access<kAccessBytes<T, K>>;
#pragma unroll
  for (int i = 0; i < Bits<T, K>::kWords; i += kAccessBytes<T, K> / 4) {
    Piece piece;
#pragma unroll
    for (int j = 0; j < kAccessBytes<T, K> / 4; ++j) piece.w[j] = bits.w[i + j];
    *reinterpret_cast<Piece *>(reinterpret_cast<uint32_t *>(to) + i) = piece;
  }
}

template <class To, class From>
__device__ __forceinline__ To bits_as(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

// Element e; e is a constant after unrolling.
template <class T, int K>
__device__ __forceinline__ T element_of(const Bits<T, K> &bits, int e) {
  if constexpr (sizeof(T) == 8) {
    return bits_as<T>(static_cast<uint64_t>(bits.w[2 * e]) | static_cast<uint64_t>(bits.w[2 * e + 1]) << 32);
  } else if constexpr (sizeof(T) == 4) {
    return bits_as<T>(bits.w[e]);
  } else if constexpr (sizeof(T) == 2) {
    return bits_as<T>(static_cast<uint16_t>(bits.w[e / 2] >> (e % 2 * 16)));
  } else {
    return bits_as<T>(static_cast<uint8_t>(bits.w[e / 4] >> (e % 4 * 8)));
  }
}
template <class T, int K>
__device__ __forceinline__ void set_element(Bits<T, K> &bits, int e, T value) {  // over zero bits
  if constexpr (sizeof(T) == 8) {
    const auto v = bits_as<uint64_t>(value);
    bits.w[2 * e] = static_cast<uint32_t>(v);
    bits.w[2 * e + 1] = static_cast<uint32_t>(v >> 32);
  } else if constexpr (sizeof(T) == 4) {
    bits.w[e] = bits_as<uint32_t>(value);
  } else if constexpr (sizeof(T) == 2) {
    bits.w[e / 2] |= static_cast<uint32_t>(bits_as<uint16_t>(value)) << (e % 2 * 16);
  } else {
    bits.w[e / 4] |= static_cast<uint32_t>(bits_as<uint8_t>(value)) << (e % 4 * 8);
  }
}

template <class C, class T, int K>
__device__ __forceinline__ void widen_bits(const Bits<T, K> &bits, C (&x)[K]) {
  if constexpr (std::is_same_v<T, __nv_bfloat16> && std::is_same_v<C, float>) {
#pragma unroll
    for (int w = 0; w < K / 2; ++w) {  // bf16 is the upper half of fp32
      x[2 * w] = bits_as<float>(bits.w[w] << 16);
      x[2 * w + 1] = bits_as<float>(bits.w[w] & 0xffff0000u);
    }
  } else if constexpr (std::is_same_v<T, __half> && std::is_same_v<C, float>) {
#pragma unroll
    for (int w = 0; w < K / 2; ++w) {
      const float2 pair = __half22float2(bits_as<__half2>(bits.w[w]));
      x[2 * w] = pair.x;
      x[2 * w + 1] = pair.y;
    }
  } else {
#pragma unroll
    for (int e = 0; e < K; ++e) x[e] = widen<C>(element_of(bits, e));
  }
}
template <class T, class C, int K>
__device__ __forceinline__ Bits<T, K> narrow_bits(const C (&x)[K]) {
  Bits<T, K> bits = {};
  if constexpr (std::is_same_v<T, __nv_bfloat16> && std::is_same_v<C, float>) {
#pragma unroll
    for (int w = 0; w < K / 2; ++w) bits.w[w] = bits_as<uint32_t>(__floats2bfloat162_rn(x[2 * w], x[2 * w + 1]));
  } else if constexpr (std::is_same_v<T, __half> && std::is_same_v<C, float>) {
#pragma unroll
    for (int w = 0; w < K / 2; ++w) bits.w[w] = bits_as<uint32_t>(__floats2half2_rn(x[2 * w], x[2 * w + 1]));
  } else {
#pragma unroll
    for (int e = 0; e < K; ++e) set_element(bits, e, narrow<T>(x[e]));
  }
  return bits;
}

}  // namespace gpuopt
