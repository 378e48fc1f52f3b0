// What transposed_tile.cuh is made of: vectors of four elements whose type is a run-time fact, loaded and stored
// wherever they lie; squares of four by four of them transposed in registers; where a tile lies, and how a matrix fits
// it.
#pragma once

#include "common/register_transpose.cuh"
#include "common/unaligned.cuh"
#include "fused_act/common/dtype_words.cuh"

namespace gpuopt {

constexpr int kSide = 4, kLanes = 32, kTileCols = kSide * kLanes;
constexpr int kGroupVectors = kSide * kLanes + 1;  // of four rows

// out[c] has element c of each in[r].
template <int kBytes>
__device__ __forceinline__ void transpose_square(const Words<kBytes, kSide> (&in)[kSide],
                                                 Words<kBytes, kSide> (&out)[kSide]) {
  Vector<kSide *(kBytes < 4 ? kBytes : 4)> from[kSide], to[kSide];
  if constexpr (kBytes == 8) {  // two words an element, which registers are only renamed for
#pragma unroll
    for (int c = 0; c < kSide; ++c) {
#pragma unroll
      for (int w = 0; w < 2 * kSide; ++w) out[c].w[w] = in[w / 2].w[2 * c + w % 2];
    }
  } else {
#pragma unroll
    for (int r = 0; r < kSide; ++r) {
#pragma unroll
      for (int w = 0; w < kBytes; ++w) from[r].word[w] = in[r].w[w];
    }
    transpose_registers<kBytes, kSide * kBytes>(from, to);
#pragma unroll
    for (int c = 0; c < kSide; ++c) {
#pragma unroll
      for (int w = 0; w < kBytes; ++w) out[c].w[w] = to[c].word[w];
    }
  }
}

// Four neighbours of a line, wherever they lie and the line has a vector more on both sides.
template <int kBytes>
__device__ __forceinline__ Words<kBytes, kSide> load_anywhere(const UnsignedOf<kBytes> *from) {
  using E = UnsignedOf<kBytes>;
  if constexpr (kBytes < 8) {
    return load_unaligned<E, kSide>(from);
  } else {
    Words<kBytes, kSide> words = {};
#pragma unroll
    for (int e = 0; e < kSide; ++e) set_element(words, e, from[e]);
    return words;
  }
}
// Those of the `left` from the first on that exist.
template <int kBytes>
__device__ __forceinline__ Words<kBytes, kSide> load_four(const UnsignedOf<kBytes> *from, int32_t left) {
  using E = UnsignedOf<kBytes>;
  if (left >= kSide && is_aligned<E, kSide>(from)) return load_bits<E, kSide>(from);
  Words<kBytes, kSide> words = {};
#pragma unroll
  for (int e = 0; e < kSide; ++e) {
    if (e < left) set_element(words, e, from[e]);
  }
  return words;
}
template <int kBytes>
__device__ __forceinline__ void store_four(UnsignedOf<kBytes> *to, int32_t left, const Words<kBytes, kSide> &words) {
  if (left >= kSide && is_aligned<UnsignedOf<kBytes>, kSide>(to)) return store_whole(to, words);
#pragma unroll
  for (int e = 0; e < kSide; ++e) {
    if (e < left) to[e] = element_of(words, e);
  }
}

// Asked anew by each step: what the compiler would otherwise carry through the loop over steps costs registers.
__device__ __forceinline__ int thread_number() {
  int index;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(index));
  return index;
}
__device__ __forceinline__ int block_number() {
  int index;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(index));
  return index;
}

// Where a tile lies.
struct TilePlace {
  int64_t first_row, first_col;
  int32_t rows, cols;  // of the matrix from there on, at most 2^30
};

// How the part of a matrix within a tile can be read and written; the same for all threads.
enum class Fit {
  kWhole,      // in aligned vectors
  kUnaligned,  // in aligned vectors, one more, shifted
  kEdge        // as each vector allows
};

}  // namespace gpuopt
