// Elements as they lie in memory.
#pragma once

#include "common/bits.cuh"

namespace gpuopt {

// Elements of 16 bits stay two to a register: the compiler is not to keep them as floats from one use to the next.
template <class T, int K, int V>
__device__ __forceinline__ void stay_packed(Bits<T, K> (&bits)[V]) {
  if constexpr (sizeof(T) == 2) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
#pragma unroll
      for (uint32_t &word : bits[v].w) asm volatile("" : "+r"(word));
    }
  }
}

// Elements of a word that change nothing: as a factor, and as a summand for which a zero keeps its sign.
template <class T>
__device__ __forceinline__ uint32_t neutral_word(bool factor) {
  if constexpr (sizeof(T) == 4) return factor ? 0x3f800000u : 0x80000000u;
  if (!factor) return 0x80008000u;
  return std::is_same_v<T, __half> ? 0x3c003c00u : 0x3f803f80u;
}

}  // namespace gpuopt
