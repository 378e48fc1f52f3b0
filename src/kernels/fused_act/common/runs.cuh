// How the vector kernels of fused_act cut out into runs: K neighbours of a row, one run a thread.
//
// A line is cut at multiples of K elements from an address that is aligned to the run's bytes, so stores are whole
// vectors wherever out's base lies; the first and last run of a line (the peeled head and tail) move element by
// element. Operands that lie otherwise are read by aligned accesses too, one more than whole vectors need, and shifted
// into place. Where every matrix is packed all of it is one line, and an odd width costs only that and the runs that
// cross into the next row, whose vector operands are read element by element. Otherwise a line is a row, and a block
// takes several short rows. Positions within a line are 32-bit, which is most of the speed; where lines begin is
// 64-bit.
#pragma once

#include "common/unaligned.cuh"
#include "fused_act/common/runs_plan.h"

namespace gpuopt {

// A run: elements e + begin to e + end - 1 of its line; e is negative in a head.
struct Spot {
  int32_t e, begin, end;
  int32_t p, i, j;  // of its first element, in a line of all: where asked for
};

// Where the run's line begins in an operand.
__device__ __forceinline__ int64_t line_offset(const View &view, const Runs &runs, const Spot &spot) {
  return runs.flat ? 0 : spot.p * view.batch_step + spot.i * view.row_step;
}
template <class T>
__device__ __forceinline__ T *run_of(const View &view, const Runs &runs, const Spot &spot) {
  return static_cast<T *>(view.data) + line_offset(view, runs, spot) + spot.e;
}

// This thread's run; false where there is none.
template <int K>
__device__ __forceinline__ bool find_spot(const Runs &runs, const View &out, int out_bytes, Spot &spot) {
  int32_t run;
  spot = {};
  if (runs.flat) {
    run = static_cast<int32_t>(blockIdx.x * kRunThreads + threadIdx.x);
  } else {
    const uint32_t down = kRunThreads >> runs.across;
    int32_t block;
    const int32_t row_block = runs.by_blocks.divide(static_cast<int32_t>(blockIdx.x), block);
    run = (block << runs.across) + static_cast<int32_t>(threadIdx.x & ((1u << runs.across) - 1));
    spot.i = static_cast<int32_t>(static_cast<uint32_t>(row_block) * down + (threadIdx.x >> runs.across));
    if (spot.i >= runs.rows) return false;
    spot.p = static_cast<int32_t>(blockIdx.y);
  }
  const auto start = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(out.data)) +
                     static_cast<uint32_t>(line_offset(out, runs, spot)) * static_cast<uint32_t>(out_bytes);
  const uint32_t access = K * out_bytes < 16 ? static_cast<uint32_t>(K * out_bytes) : 16u;
  const int32_t e = run * K - static_cast<int32_t>((start & (access - 1)) / static_cast<uint32_t>(out_bytes));
  const int32_t left = runs.length - e;
  if (left <= 0) return false;
  spot.e = e;
  spot.begin = e < 0 ? -e : 0;
  spot.end = left < K ? left : K;
  spot.j = e;
  if (runs.flat && runs.by_vector && e > 0) {
    spot.p = runs.by_rows.divide(runs.by_cols.divide(e, spot.j), spot.i);
  }
  return true;
}

template <int K>
__device__ __forceinline__ bool is_whole(const Spot &spot) {
  return spot.end - spot.begin == K;
}
template <int K, class T>
__device__ __forceinline__ void store_run_bits(const View &view, const Runs &runs, const Spot &spot,
                                               const Bits<T, K> &bits) {
  T *to = run_of<T>(view, runs, spot);
  if (is_whole<K>(spot) && is_aligned<T, K>(to)) return store_whole(to, bits);
#pragma unroll
  for (int e = 0; e < K; ++e)
    if (e >= spot.begin && e < spot.end) to[e] = element_of(bits, e);
}

// What the kernels of known types do instead, with fewer instructions: the neighbours from `from` on, as vectors where
// whole and aligned; else one by one, 0 where the run has none.
template <int K, class T>
__device__ __forceinline__ Bits<T, K> load_elements(const T *from, const Spot &spot) {
  if (is_whole<K>(spot) && is_aligned<T, K>(from)) return load_bits<T, K>(from);
  Bits<T, K> bits = {};
  if (is_whole<K>(spot)) {
#pragma unroll
    for (int e = 0; e < K; ++e) set_element(bits, e, from[e]);
  } else {
#pragma unroll
    for (int e = 0; e < K; ++e)
      if (e >= spot.begin && e < spot.end) set_element(bits, e, from[e]);
  }
  return bits;
}
// Those of a matrix, shifted where they are not aligned.
template <int K, class T>
__device__ __forceinline__ Bits<T, K> load_matrix(const View &view, const Runs &runs, const Spot &spot) {
  const T *from = run_of<T>(view, runs, spot);
  constexpr auto kAccess = static_cast<int32_t>(kAccessBytes<T, K> / sizeof(T));
  const bool inside = spot.e >= kAccess && runs.length - spot.e >= K + kAccess;
  if (is_whole<K>(spot) && inside && !is_aligned<T, K>(from)) return load_unaligned<T, K>(from);
  return load_elements<K>(from, spot);
}

// A vector along a row, whose elements are neighbours. A run that crosses reads its last elements for the row after its
// own. kByWords: 16-bit elements that are not aligned two at a time, which takes a few registers more.
template <int K, class T, bool kByWords>
__device__ __forceinline__ Bits<T, K> load_vector(const View &view, const Runs &runs, const Spot &spot) {
  const T *data = static_cast<const T *>(view.data);
  const T *here = data + (spot.p * view.batch_step + spot.j);
  const int32_t left = runs.cols - spot.j;
  if constexpr (kByWords) {
    static_assert(sizeof(T) == 2, "two elements a word");
    if (is_whole<K>(spot) && spot.j >= 1 && left >= K + 2 && !is_aligned<T, K>(here))
      return load_unaligned_by_words<K>(here);
  }
  if (left >= K) return load_elements<K, T>(here, spot);
  const T *there = data + ((spot.p + (spot.i + 1 == runs.rows ? 1 : 0)) * view.batch_step - left);
  Bits<T, K> bits = {};
#pragma unroll
  for (int e = 0; e < K; ++e) {
    if (e >= spot.begin && e < spot.end) set_element(bits, e, (e < left ? here : there)[e]);
  }
  return bits;
}

}  // namespace gpuopt
