// Lines that begin anywhere: K neighbours are read by the aligned accesses that they lie in, one more than whole
// vectors need, and shifted into place.
#pragma once

#include "common/bits.cuh"

namespace gpuopt {

template <class T, int K>
__device__ __forceinline__ bool is_aligned(const T *address) {
  return reinterpret_cast<uintptr_t>(address) % kAccessBytes<T, K> == 0;
}

// K elements out of words that begin `past` bytes before them, less than an access: w has an access more than whole
// vectors need.
template <class T, int K>
__device__ __forceinline__ Bits<T, K> shift_into_place(uint32_t (&w)[Bits<T, K>::kWords + kAccessBytes<T, K> / 4],
                                                       uint32_t past) {
  constexpr int kWords = Bits<T, K>::kWords, kStep = kAccessBytes<T, K> / 4, kAll = kWords + kStep;
#pragma unroll
  for (int s = kStep / 2; s > 0; s /= 2) {
    // By a mask: between two array elements the compiler would choose by address, in local memory.
    const uint32_t moves = (past & (4 * s)) != 0 ? 0xffffffffu : 0;
#pragma unroll
    for (int i = 0; i + s < kAll; ++i) w[i] ^= (w[i] ^ w[i + s]) & moves;
  }
  Bits<T, K> bits;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    if constexpr (sizeof(T) < 4)
      bits.w[i] = __funnelshift_r(w[i], w[i + 1], (past & 3) * 8);
    else
      bits.w[i] = w[i];
  }
  return bits;
}

// Those words.
template <class T, int K>
__device__ __forceinline__ void load_words(const Access<kAccessBytes<T, K>> *pieces,
                                           uint32_t (&w)[Bits<T, K>::kWords + kAccessBytes<T, K> / 4]) {
  constexpr int kStep = kAccessBytes<T, K> / 4, kAll = Bits<T, K>::kWords + kStep;
#pragma unroll
  for (int i = 0; i < kAll; i += kStep) {
    const Access<kAccessBytes<T, K>> piece = pieces[i / kStep];
#pragma unroll
    for (int j = 0; j < kStep; ++j) w[i + j] = piece.w[j];
  }
}

// The same K elements from an address that is no multiple of an access: one aligned access more, and the wanted bytes
// shifted out of them. Each access has some wanted byte.
template <class T, int K>
__device__ __forceinline__ Bits<T, K> load_unaligned(const Access<kAccessBytes<T, K>> *pieces, uint32_t past) {
  uint32_t w[Bits<T, K>::kWords + kAccessBytes<T, K> / 4];
  load_words<T, K>(pieces, w);
  return shift_into_place<T, K>(w, past);
}

template <class T, int K>
__device__ __forceinline__ Bits<T, K> load_unaligned(const T *from) {
  constexpr int kBytes = kAccessBytes<T, K>;
  const auto past = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from)) & (kBytes - 1);
  const auto *pieces = reinterpret_cast<const Access<kBytes> *>(reinterpret_cast<const char *>(from) - past);
  return load_unaligned<T, K>(pieces, past);
}

// K 16-bit elements from anywhere, in words: one element in front of them or two behind them are read as well.
template <int K, class T>
__device__ __forceinline__ Bits<T, K> load_unaligned_by_words(const T *from) {
  const auto address = reinterpret_cast<uintptr_t>(from);
  const auto *words = reinterpret_cast<const uint32_t *>(address - address % 4);
  uint32_t raw[K / 2 + 1];
#pragma unroll
  for (int i = 0; i <= K / 2; ++i) raw[i] = words[i];
  Bits<T, K> bits;
#pragma unroll
  for (int i = 0; i < K / 2; ++i)
    bits.w[i] = __funnelshift_r(raw[i], raw[i + 1], static_cast<uint32_t>(address % 4) * 8);
  return bits;
}

// To global memory, an access an instruction: the compiler splits plain stores beside a branch that stores elements.
template <class T, int K>
__device__ __forceinline__ void store_whole(T *to, const Bits<T, K> &bits) {
  constexpr int kStep = kAccessBytes<T, K> / 4;
  const size_t at = __cvta_generic_to_global(to);
#pragma unroll
  for (int i = 0; i < Bits<T, K>::kWords; i += kStep) {
    const uint32_t *const w = bits.w + i;
    if constexpr (kStep == 4)
      asm volatile("st.global.v4.b32 [%0], {%1,%2,%3,%4};" ::"l"(at + i * 4), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
                   : "memory");
    else if constexpr (kStep == 2)
      asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(at + i * 4), "r"(w[0]), "r"(w[1]) : "memory");
    else
      asm volatile("st.global.b32 [%0], %1;" ::"l"(at + i * 4), "r"(w[0]) : "memory");
  }
}

// Asks the second-level cache for what a later block will load from here.
__device__ __forceinline__ void prefetch(const void *address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

}  // namespace gpuopt
