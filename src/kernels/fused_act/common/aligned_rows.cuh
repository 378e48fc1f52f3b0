// How fused_act cuts rows that are aligned: K columns of kRuns rows below each other, a thread. No heads, no tails, no
// crossings; addresses, and vectors along the row, are shared by the rows.
#pragma once

#include "common/unaligned.cuh"
#include "fused_act/common/dtype_words.cuh"
#include "fused_act/common/runs_plan.h"

namespace gpuopt {

constexpr int kRowsThreads = 128;  // small blocks: warps that share a scheduler are at different stages

struct AlignedCut {
  int32_t rows, vectors;  // of K elements in a row
  int32_t ahead;          // rows between a block and the one that takes its place: where to prefetch; 0: nowhere
  SmallDivider by_vectors, repeat;  // repeat: elements after which vectors along the row begin again (linear_rows.cuh)
};

// As a kernel of rows knows them; UnalignedRows (unaligned_rows.cuh) has the same functions.
template <int kElements, int kRunCount>
struct AlignedRows {
  using Cut = AlignedCut;
  static constexpr int K = kElements, kRuns = kRunCount, kThreads = kRowsThreads;
  static constexpr int kFewer = kFewerBlocks;
  int32_t vector, first, rows, ahead;

  // False where there is none.
  static __device__ __forceinline__ bool find(const AlignedCut &cut, AlignedRows &spot) {
    spot.rows = cut.rows;
    spot.ahead = cut.ahead;
    spot.first = kRuns * cut.by_vectors.divide(static_cast<int32_t>(blockIdx.x * kThreads + threadIdx.x), spot.vector);
    return spot.first < cut.rows;
  }
  __device__ __forceinline__ bool exists(const AlignedCut &, int r) const { return r == 0 || first + r < rows; }
  __device__ __forceinline__ int64_t step(const AlignedCut &, const View &view) const { return view.row_step; }
  template <class E>
  __device__ __forceinline__ E *address_of(const View &view) const {
    return static_cast<E *>(view.data) + (blockIdx.y * view.batch_step + first * view.row_step + vector * K);
  }
  // kAtOnce: see UnalignedRows.
  template <int kBytes, bool kAtOnce>
  __device__ __forceinline__ void load(const AlignedCut &, const View &view, Words<kBytes, K> (&words)[kRuns]) const {
    const auto *from = address_of<UnsignedOf<kBytes>>(view);
#pragma unroll
    for (int r = 0; r < kRuns; ++r) words[r] = {};
#pragma unroll
    for (int r = 0; r < kRuns; ++r) {
      if (r == 0 || first + r < rows) words[r] = load_bits<UnsignedOf<kBytes>, K>(from + r * view.row_step);
    }
    if (ahead > 0 && first + ahead + kRuns <= rows) {
      from += ahead * view.row_step;
#pragma unroll
      for (int r = 0; r < kRuns; ++r) prefetch(from + r * view.row_step);
    }
  }
  // Of a vector along the row.
  template <int kBytes>
  __device__ __forceinline__ Words<kBytes, K> load_columns(const AlignedCut &, const View &view) const {
    using E = UnsignedOf<kBytes>;
    return load_bits<E, K>(static_cast<const E *>(view.data) + (blockIdx.y * view.batch_step + vector * K));
  }
  template <int kBytes>
  __device__ __forceinline__ void store(const AlignedCut &, UnsignedOf<kBytes> *to,
                                        const Words<kBytes, K> &words) const {
    store_whole(to, words);
  }
};

// Blocks of each SM between a block and the rows that it prefetches: farther, and what was fetched is gone again.
constexpr int kBlocksAhead = 2;

// The cut for rows of K elements an access, of kRuns rows a thread, where so many rows of packed matrices are taken for one;
// ahead_threads: of an SM, 0: no prefetching. Returns the grid.
template <class Rows>
dim3 make_aligned_rows(const gpuopt_problem &problem, int64_t together, int ahead_threads, AlignedCut &cut) {
  cut = {};
  cut.rows = static_cast<int32_t>(problem.m / together);
  cut.vectors = static_cast<int32_t>(problem.n * together / Rows::K);
  cut.by_vectors = SmallDivider(cut.vectors);
  if (together > 1) cut.repeat = SmallDivider(problem.n);
  const int64_t next = int64_t{problem.device->sm_count} * kBlocksAhead * ahead_threads;
  cut.ahead = static_cast<int32_t>(ceil_div(next, cut.vectors)) * Rows::kRuns;
  const int64_t threads = ceil_div(cut.rows, Rows::kRuns) * cut.vectors;
  return dim3(static_cast<unsigned>(ceil_div(threads, kRowsThreads)), static_cast<unsigned>(problem.batch));
}

}  // namespace gpuopt
