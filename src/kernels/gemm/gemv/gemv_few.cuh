// The few lines of a product by vector, in shared memory, as the type that sums are kept in: whatever they are and however
// they lie, the main loops read them the same way.
#pragma once

#include "common/unaligned.cuh"
#include "gemm/gemv/gemv_join.cuh"

namespace gpuopt {

// Elements of k of a block's few lines that are there at once.
template <class Acc, int kFew>
constexpr int kGemvChunk = kGemvFewBytes / static_cast<int>(sizeof(Acc)) / kFew;

// Elements [begin, begin + chunk) of k of kFew lines, zeros where there are none: place(e) is where element e of a line
// goes. Every thread of the block, between barriers.
template <int kFew, class Acc, class Place>
__device__ __forceinline__ void gemv_stage_few(const Gemv<Acc> &g, const GemvPlace &at, int64_t begin, int64_t end,
                                               Acc *shared, Place &&place) {
  constexpr int kChunk = kGemvChunk<Acc, kFew>;
  with_gemm_dtype<Acc>(g.few_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
#pragma unroll
    for (int f = 0; f < kFew; ++f) {
      const int64_t line = at.few * kFew + f;
      const T *const from = static_cast<const T *>(g.few) + at.p * g.few_batch + line * g.few_line;
#pragma unroll 4
      for (int e = static_cast<int>(threadIdx.x); e < kChunk; e += kGemvThreads) {
        if (begin + e >= end + 16) break;  // what a last vector reads beyond the end is zero
        shared[f * kChunk + place(e)] =
            line < g.few_lines && begin + e < end ? widen<Acc>(from[(begin + e) * g.few_k]) : Acc(0);
      }
    }
  });
}

// K elements, 16 bytes, wherever they begin.
template <int K, bool kAligned, class T>
__device__ __forceinline__ Bits<T, K> gemv_load(const T *from) {
  if constexpr (kAligned)
    return load_bits<T, K>(from);
  else
    return is_aligned<T, K>(from) ? load_bits<T, K>(from) : load_unaligned<T, K>(from);
}
// The first `count` of them, fewer than K; zeros behind.
template <int K, class T>
__device__ __forceinline__ Bits<T, K> gemv_load_some(const T *from, int64_t step, int64_t count) {
  Bits<T, K> bits = {};
#pragma unroll
  for (int e = 0; e < K; ++e) {
    if (e < count) set_element(bits, e, from[e * step]);
  }
  return bits;
}

}  // namespace gpuopt
