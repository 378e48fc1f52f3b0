// Words that begin anywhere, shifted to where they are wanted, and stored by one instruction.
#pragma once
namespace gpuopt {

// The first kWords of w become those `past` bytes later, less than kStep words; by bytes: past may be no multiple of 4.
template <int kWords, int kStep, bool kByBytes>
__device__ __forceinline__ void shift_words(uint32_t (&w)[kWords + kStep], uint32_t past) {
#pragma unroll
  for (int s = kStep / 2; s > 0; s /= 2) {
    const uint32_t moves = (past & (4 * s)) != 0 ? 0xffffffffu : 0;  // a choice would be by address, in local memory
#pragma unroll
    for (int i = 0; i + s < kWords + kStep; ++i) w[i] ^= (w[i] ^ w[i + s]) & moves;
  }
#pragma unroll
  for (int i = 0; kByBytes && i < kWords; ++i) w[i] = __funnelshift_r(w[i], w[i + 1], (past & 3) * 8);
}
// To global memory: the compiler splits plain stores beside a branch that stores elements.
template <int kWords>
__device__ __forceinline__ void store_words(size_t to, const uint32_t *w) {
  if constexpr (kWords == 4)
    asm volatile("st.global.v4.b32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
                 : "memory");
  else if constexpr (kWords == 2)
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(to), "r"(w[0]), "r"(w[1]) : "memory");
  else
    asm volatile("st.global.b32 [%0], %1;" ::"l"(to), "r"(w[0]) : "memory");
}
}  // namespace gpuopt
