// Vectors of 16 bytes in a line, and their elements as the terms of a sum.
#pragma once

#include "common/bits.cuh"

namespace gpuopt {

template <class T>
constexpr int kVector = 16 / static_cast<int>(sizeof(T));  // elements of a 16-byte access

// Elements from the line's first to the first that is 16-byte aligned, but no more than there are.
template <class T>
__device__ __forceinline__ int line_head(const T *line, int64_t length) {
  constexpr int N = kVector<T>;
  const int past = static_cast<int>(reinterpret_cast<uintptr_t>(line) / sizeof(T) % N), head = past == 0 ? 0 : N - past;
  return head < length ? head : static_cast<int>(length);
}

template <class T>
constexpr bool kIsSmallInteger = std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>;

template <class Term, class T, class C>
__device__ __forceinline__ Term to_term(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<Term>(x);  // also from a negative number to an unsigned one
  else
    return widen<C>(x);
}
template <class C, class Term, class T, int N>
__device__ __forceinline__ void to_terms(const Pack<T, N> &x, Term (&t)[N]) {
  if constexpr (sizeof(T) == 2 && N >= 2) {
    widen_bits(bits_as<Bits<T, N>>(x), t);
  } else {
#pragma unroll
    for (int e = 0; e < N; ++e) t[e] = to_term<Term, T, C>(x.v[e]);
  }
}

}  // namespace gpuopt
