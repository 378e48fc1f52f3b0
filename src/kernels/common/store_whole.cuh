// Stores of whole accesses to global memory, each as one instruction: beside a branch that stores the same elements one by
// one the compiler does not join the words of plain stores.
#pragma once

#include "common/bits.cuh"

namespace gpuopt {

template <class T, int K>
__device__ __forceinline__ void store_whole(T *to, const Bits<T, K> &bits) {
  constexpr int kStep = kAccessBytes<T, K> / 4;
  const size_t at = __cvta_generic_to_global(to);
  const uint32_t *w = bits.w;
#pragma unroll
  for (int i = 0; i < Bits<T, K>::kWords; i += kStep, w += kStep) {
    if constexpr (kStep == 4)
      asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(at + i * 4), "r"(w[0]), "r"(w[1]), "r"(w[2]),
                   "r"(w[3])
                   : "memory");
    else if constexpr (kStep == 2)
      asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(at + i * 4), "r"(w[0]), "r"(w[1]) : "memory");
    else
      asm volatile("st.global.b32 [%0], %1;" ::"l"(at + i * 4), "r"(w[0]) : "memory");
  }
}

}  // namespace gpuopt
