// How fused_act cuts long rows that lie anyhow: runs of K neighbours, several rows a thread, chosen so that they lie
// alike.
//
// Rows whose leading dimension is no multiple of an access begin somewhere else within one each; but every `apart`
// rows, K at most, they begin at the same place again, in every matrix. A thread takes such rows, so what lies how is
// asked once for all of them: they are cut at the same columns, their elements of a vector along the row are the
// same, and a matrix that lies otherwise than out is shifted into place by the same amount. Rows are cut where out is
// aligned, so stores are whole vectors; runs at the ends of a row, which are read and written element by element,
// belong to blocks of their own, so that no other thread waits for them.
#pragma once

#include "common/descriptor.h"
#include "common/small_divider.cuh"
#include "fused_act/common/aligned_rows.cuh"
#include "fused_act/common/cost.h"

namespace gpuopt {

constexpr int kUnalignedThreads = 128;

struct UnalignedCut {
  View out;
  int32_t log2_out_bytes;  // of an element
  int32_t rows, cols;
  int32_t log2_apart;   // of the distance of a thread's rows
  int32_t lanes;        // threads that share a run's columns
  int32_t ahead;        // lanes between a block and the one that takes its place: where to prefetch; 0: nowhere
  int32_t edge_blocks;  // the first ones
  SmallDivider by_runs;
};

// Ends of rows: this many runs on either side may not be whole.
constexpr int kEdgeRuns = 4;

// Whether every aligned access that holds a wanted element lies in the row: for all threads of a block alike.
__device__ __forceinline__ bool are_whole(const UnalignedCut &cut) {
  return static_cast<int32_t>(blockIdx.x) >= cut.edge_blocks;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr int kFewerUnalignedBlocks = 1;
#else
constexpr int kFewerUnalignedBlocks = kFewerBlocks;
#endif

// A thread's runs: those of its K columns that exist, of rows first, first + apart, ... What the launch knows is
// asked of it again rather than kept in registers.
template <int kElements, int kRunCount>
struct UnalignedRows {
  using Cut = UnalignedCut;
  static constexpr int K = kElements, kRuns = kRunCount, kThreads = kUnalignedThreads;
  static constexpr int kFewer = kFewerUnalignedBlocks;
  int32_t column, first;
  int32_t ahead;  // rows to what is to be prefetched; 0: nothing

  static __device__ __forceinline__ int32_t row_of_lane(const UnalignedCut &cut, int32_t lane) {
    const int32_t inside = lane & ((1 << cut.log2_apart) - 1);
    return (lane - inside) * kRuns + inside;
  }
  // False where there is none.
  static __device__ __forceinline__ bool find(const UnalignedCut &cut, UnalignedRows &spot) {
    const int32_t run_count = cut.by_runs.d;
    const auto block = static_cast<int32_t>(blockIdx.x), thread = static_cast<int32_t>(threadIdx.x);
    int32_t lane, run;
    const bool whole = are_whole(cut);
    if (whole) {
      lane = cut.by_runs.divide((block - cut.edge_blocks) * kThreads + thread, run);
    } else {
      const int32_t edge = thread % (2 * kEdgeRuns);
      lane = (block * kThreads + thread) / (2 * kEdgeRuns);
      run = edge < kEdgeRuns ? edge : run_count - 2 * kEdgeRuns + edge;
    }
    spot.first = row_of_lane(cut, lane);
    if (lane >= cut.lanes || spot.first >= cut.rows) return false;
    const int64_t line = blockIdx.y * cut.out.batch_step + spot.first * cut.out.row_step;
    const auto start = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(cut.out.data)) +
                       (static_cast<uint32_t>(line) << cut.log2_out_bytes);
    const uint32_t run_bytes = static_cast<uint32_t>(K) << cut.log2_out_bytes,
                   access = run_bytes < 16 ? run_bytes : 16u;
    spot.column = run * K - static_cast<int32_t>((start & (access - 1)) >> cut.log2_out_bytes);
    const int32_t left = cut.cols - spot.column;
    const bool inner = spot.column >= K - 1 && left >= 2 * K - 1;
    if (inner != whole || left <= 0) return false;
    spot.ahead = 0;
    if (cut.ahead > 0 && whole) {
      const int32_t then = row_of_lane(cut, lane + cut.ahead);
      if (then + (kRuns << cut.log2_apart) <= cut.rows) spot.ahead = then - spot.first;
    }
    return true;
  }
  __device__ __forceinline__ bool exists(const UnalignedCut &cut, int r) const {
    return r == 0 || first + (r << cut.log2_apart) < cut.rows;
  }
  __device__ __forceinline__ bool has(const UnalignedCut &cut, int e) const {
    return static_cast<uint32_t>(column + e) < static_cast<uint32_t>(cut.cols);
  }
  __device__ __forceinline__ int64_t step(const UnalignedCut &cut, const View &view) const {
    return view.row_step << cut.log2_apart;
  }
  template <class E>
  __device__ __forceinline__ E *address_of(const View &view) const {
    return static_cast<E *>(view.data) + (blockIdx.y * view.batch_step + first * view.row_step + column);
  }
  // The run of a line, as words; step: to the next element.
  template <int kBytes>
  __device__ __forceinline__ Words<kBytes, K> load_edge(const UnsignedOf<kBytes> *from, int64_t step,
                                                        const UnalignedCut &cut) const {
    Words<kBytes, K> words = {};
#pragma unroll
    for (int e = 0; e < K; ++e) {
      if (has(cut, e)) set_element(words, e, *from);
      from += step;
    }
    return words;
  }
  // kAtOnce: where rows are shifted, all loads leave before the first is waited for, for as many registers; else a
  // row's follow the row before it.
  template <int kBytes, bool kAtOnce>
  __device__ __forceinline__ void load(const UnalignedCut &cut, const View &view,
                                       Words<kBytes, K> (&words)[kRuns]) const {
    using E = UnsignedOf<kBytes>;
    const E *from = address_of<const E>(view);
    const int64_t step = view.row_step << cut.log2_apart;
#pragma unroll
    for (int r = 0; r < kRuns; ++r) words[r] = {};
    if (!are_whole(cut)) {
#pragma unroll
      for (int r = 0; r < kRuns; ++r) {
        if (exists(cut, r)) words[r] = load_edge<kBytes>(from + r * step, 1, cut);
      }
      return;
    }
    if (is_aligned<E, K>(from)) {
#pragma unroll
      for (int r = 0; r < kRuns; ++r) {
        if (exists(cut, r)) words[r] = load_bits<E, K>(from + r * step);
      }
    } else {
      constexpr int kAccess = kAccessBytes<E, K>;
      const auto past = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from)) & (kAccess - 1);
      const auto *pieces = reinterpret_cast<const Access<kAccess> *>(reinterpret_cast<const char *>(from) - past);
      const int64_t piece_step = step * kBytes / kAccess;  // whole, by the choice of apart
      if constexpr (kAtOnce) {
        uint32_t raw[kRuns][Bits<E, K>::kWords + kAccess / 4] = {};
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
          if (exists(cut, r)) load_words<E, K>(pieces + r * piece_step, raw[r]);
        }
#pragma unroll
        for (int r = 0; r < kRuns; ++r) words[r] = shift_into_place<E, K>(raw[r], past);
      } else {
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
          if (exists(cut, r)) words[r] = load_unaligned<E, K>(pieces + r * piece_step, past);
        }
      }
    }
    if (ahead > 0) {
      from += ahead * view.row_step;
#pragma unroll
      for (int r = 0; r < kRuns; ++r) prefetch(from + r * step);
    }
  }
  // Of a vector along the row.
  template <int kBytes>
  __device__ __forceinline__ Words<kBytes, K> load_columns(const UnalignedCut &cut, const View &view) const {
    using E = UnsignedOf<kBytes>;
    const E *from = static_cast<const E *>(view.data) + (blockIdx.y * view.batch_step + column * view.col_step);
    if (!are_whole(cut) || view.col_step != 1) return load_edge<kBytes>(from, view.col_step, cut);
    if (is_aligned<E, K>(from)) return load_bits<E, K>(from);
    if constexpr (K * kBytes > 16) {  // one access at a time: what is read twice costs less than the registers
      constexpr int kPart = 16 / kBytes, kWords = Bits<E, kPart>::kWords;
      Bits<E, K> words;
#pragma unroll
      for (int part = 0; part < K / kPart; ++part) {
        const auto some = load_unaligned<E, kPart>(from + part * kPart);
#pragma unroll
        for (int w = 0; w < kWords; ++w) words.w[part * kWords + w] = some.w[w];
      }
      return words;
    } else {
      return load_unaligned<E, K>(from);
    }
  }
  template <int kBytes>
  __device__ __forceinline__ void store(const UnalignedCut &cut, UnsignedOf<kBytes> *to,
                                        const Words<kBytes, K> &words) const {
    if (are_whole(cut) && is_aligned<UnsignedOf<kBytes>, K>(to)) return store_whole(to, words);
#pragma unroll
    for (int e = 0; e < K; ++e)
      if (has(cut, e)) to[e] = element_of(words, e);
  }
};

// The cut for runs of k elements of run_count rows a thread. matrices: every matrix that is read or written. Returns
// the grid.
inline dim3 make_unaligned_rows(const gpuopt_problem &problem, int k, int run_count, const View *matrices,
                                int matrix_count, bool prefetches, UnalignedCut &cut) {
  cut = {};
  cut.out = matrix_view(problem.operand[GPUOPT_OPERAND_OUT]);
  while ((1 << cut.log2_out_bytes) < bytes_of(cut.out.dtype)) ++cut.log2_out_bytes;
  cut.rows = static_cast<int32_t>(problem.m);
  cut.cols = static_cast<int32_t>(problem.n);
  for (int a = 0; a < matrix_count; ++a) {
    const int bytes = bytes_of(matrices[a].dtype), access = k * bytes < 16 ? k * bytes : 16;
    while ((matrices[a].row_step * bytes << cut.log2_apart) % access != 0) ++cut.log2_apart;
  }
  const int64_t runs = ceil_div(problem.n + k - 1, k);  // as many as a row may have
  cut.by_runs = SmallDivider(runs);
  cut.lanes = static_cast<int32_t>(ceil_div(problem.m, int64_t{run_count} << cut.log2_apart) << cut.log2_apart);
  cut.edge_blocks = static_cast<int32_t>(ceil_div(int64_t{cut.lanes} * 2 * kEdgeRuns, kUnalignedThreads));
  if (prefetches)
    cut.ahead = static_cast<int32_t>(ceil_div(int64_t{problem.device->sm_count} * kBlocksAhead * kRunThreads, runs));
  const int64_t blocks = cut.edge_blocks + ceil_div(cut.lanes * runs, kUnalignedThreads);
  return dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(problem.batch));
}

// Threads of that cut that have elements, and what its edges cost beside them.
inline void count_unaligned(const gpuopt_problem &problem, int k, int run_count, const UnalignedCut &cut,
                            PassCost &cost, int matrices) {
  const int64_t apart = int64_t{1} << cut.log2_apart, rows = problem.m % (apart * run_count);
  const int64_t lanes = problem.m / (apart * run_count) * apart + (rows < apart ? rows : apart);
  const auto all = static_cast<double>(lanes * problem.batch);
  cost.threads = all * cut.by_runs.d;
  cost.edge_threads = all * 2 * kEdgeRuns;
  cost.edge_accesses = cost.edge_threads * k * run_count * matrices;
  cost.idle_threads = static_cast<double>(cut.lanes * problem.batch) * (cut.by_runs.d + 2 * kEdgeRuns) - cost.threads -
                      cost.edge_threads;
}

// What that cut needs: rows long enough that their ends hardly count, positions and a grid in 32 bits.
inline int unaligned_rows_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kLeast = 128, kMost = int64_t{1} << 30;
  const auto limit = [reject](int64_t have, int64_t want, const char *what) {
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, have, want, what);
  };
  if (problem->n < kLeast) return limit(problem->n, kLeast, "columns, at least");
  if (problem->n > kMost) return limit(problem->n, kMost, "columns");
  if (problem->batch > 65535) return limit(problem->batch, 65535, "batch");
  // As many rows as a block has threads more than there are, of runs of two elements: within 2^31 even then.
  const int64_t most_rows = kMost / (problem->n / 2 + 2) * 2 - 256;
  if (problem->m > most_rows) return limit(problem->m, most_rows, "rows of this length");
  return 1;
}

}  // namespace gpuopt
