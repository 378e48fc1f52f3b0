// 16 bytes from an address that is not a multiple of 16: the two aligned vectors that hold them, and funnel shifts. A
// row of weights that begins elsewhere than the rows does is read so, by two vector loads in place of eight element
// loads; all else element by element.
#pragma once

#include "common/bits.cuh"

namespace gpuopt {

// All elements of both vectors must be the row's: elements() of them before `from`, K after it.
template <class T>
__device__ __forceinline__ int32_t elements_before(const T *from) {
  return static_cast<int32_t>(reinterpret_cast<uintptr_t>(from) % 16 / sizeof(T));
}

// The shift is the same for all threads of a row, so choosing words costs selects and no branch.
template <class T, int K>
__device__ __forceinline__ Bits<T, K> load_unaligned(const T *from) {
  static_assert(K * sizeof(T) == 16, "a vector");
  const auto offset = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from) % 16);
  const T *const aligned = from - offset / sizeof(T);
  const Bits<T, K> low = load_bits<T, K>(aligned), high = load_bits<T, K>(aligned + K);
  uint32_t w[8];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    w[i] = low.w[i];
    w[4 + i] = high.w[i];
  }
#pragma unroll
  for (int i = 0; i < 6; ++i) w[i] = (offset & 8) != 0 ? w[i + 2] : w[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) w[i] = (offset & 4) != 0 ? w[i + 1] : w[i];
  Bits<T, K> bits;
#pragma unroll
  for (int i = 0; i < 4; ++i) bits.w[i] = __funnelshift_r(w[i], w[i + 1], offset % 4 * 8);
  return bits;
}

// Elements that no other thread writes over: of x, a residual, a stage's matrix, which may lie where out or the sum does.
template <bool kAligned, class T, int K>
__device__ __forceinline__ Bits<T, K> load_vector(const T *from) {
  if (kAligned || reinterpret_cast<uintptr_t>(from) % 16 == 0) return load_bits<T, K>(from);
  Bits<T, K> bits = {};
#pragma unroll
  for (int e = 0; e < K; ++e) set_element(bits, e, from[e]);
  return bits;
}
template <bool kAligned, class T, int K>
__device__ __forceinline__ void store_vector(T *to, const float (&x)[K]) {
  const Bits<T, K> bits = narrow_bits<T>(x);
  if (kAligned || reinterpret_cast<uintptr_t>(to) % 16 == 0) {
    store_bits(to, bits);
  } else {
#pragma unroll
    for (int e = 0; e < K; ++e) to[e] = element_of(bits, e);
  }
}
// Of n weights, which are nobody's output: those from `first` on.
template <bool kAligned, class T, int K>
__device__ __forceinline__ Bits<T, K> load_weights(const T *weights, int32_t first, int32_t n) {
  if constexpr (!kAligned) {
    const int32_t before = elements_before(weights + first);
    if (before != 0 && first >= before && first - before + 2 * K <= n) return load_unaligned<T, K>(weights + first);
  }
  return load_vector<kAligned, T, K>(weights + first);
}

}  // namespace gpuopt
