// Lines that begin anywhere: K neighbours are read by the aligned accesses that they lie in, and shifted into place.
#pragma once

#include "common/bits.cuh"
#include "common/shift_words.cuh"
namespace gpuopt {

template <class T, int K>
__device__ __forceinline__ bool is_aligned(const T *address) {
  return reinterpret_cast<uintptr_t>(address) % kAccessBytes<T, K> == 0;
}

// K elements out of words that begin `past` bytes before them; w has an access more than whole vectors need.
template <class T, int K>
__device__ __forceinline__ Bits<T, K> shift_into_place(uint32_t (&w)[Bits<T, K>::kWords + kAccessBytes<T, K> / 4],
                                                       uint32_t past) {
  constexpr int kWords = Bits<T, K>::kWords;
  shift_words<kWords, kAccessBytes<T, K> / 4, sizeof(T) < 4>(w, past);
  Bits<T, K> bits;
#pragma unroll
  for (int i = 0; i < kWords; ++i) bits.w[i] = w[i];
  return bits;
}

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

// The same K elements from an address that is no multiple of an access; each access has some wanted byte.
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
#pragma unroll
  for (int i = 0; i < Bits<T, K>::kWords; i += kStep)
    store_words<kStep>(__cvta_generic_to_global(to) + i * 4, bits.w + i);
}

// Asks the second-level cache for what a later block will load from here.
__device__ __forceinline__ void prefetch(const void *address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

}  // namespace gpuopt
