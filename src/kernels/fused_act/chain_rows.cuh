// The reader of fused_act_chain for aligned problems: a thread holds K columns of kRuns rows below each other. No
// heads, no tails, no crossings; the interpreting, addresses, and vectors along the row are shared by the rows.
#ifndef GPUOPT_KERNELS_FUSED_ACT_CHAIN_ROWS_CUH
#define GPUOPT_KERNELS_FUSED_ACT_CHAIN_ROWS_CUH

#include "fused_act/chain_steps.cuh"
#include "fused_act/cost.h"

namespace gpuopt {

constexpr int kRowsThreads = 128;  // small blocks: warps that share a scheduler are at different stages

template <class C>
struct ChainRowsWork {
  ChainSteps<C> steps;
  int32_t rows, vectors;  // of K elements in a row
  int32_t ahead;          // rows between a block and the one that takes its place: where to prefetch; 0: nowhere
  SmallDivider by_vectors;
};

// kMost: bytes of the largest element of a matrix.
template <class C, int K, int kRuns, int kMost, bool kHasMatrices>
struct RowsReader {
  static constexpr int kValues = K * kRuns, kColumnValues = K, kRowValues = kRuns;
  static constexpr bool kMatrices = kHasMatrices;
  static constexpr int kLeast = K % 4 == 0 ? 1 : 2;  // bytes of an element: runs are whole words
  int32_t vector, first, rows, ahead;

  __device__ __forceinline__ bool exists(int r) const { return r == 0 || first + r < rows; }
  template <class E>
  __device__ __forceinline__ E *address_of(const View &view) const {
    return static_cast<E *>(view.data) + (blockIdx.y * view.batch_step + first * view.row_step + vector * K);
  }

  __device__ __forceinline__ void read_matrix(const View &view, C (&x)[kValues]) const {
    with_size<kMost, kLeast>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const auto *from = address_of<UnsignedOf<kBytes>>(view);
      Words<kBytes, K> words[kRuns] = {};
#pragma unroll
      for (int r = 0; r < kRuns; ++r) {
        if (exists(r)) words[r] = load_bits<UnsignedOf<kBytes>, K>(from + r * view.row_step);
      }
      if (ahead > 0 && first + ahead + kRuns <= rows) {
        from += ahead * view.row_step;
#pragma unroll
        for (int r = 0; r < kRuns; ++r) prefetch(from + r * view.row_step);
      }
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
          C row[K];
          widen_words<typename decltype(tag)::type>(words[r], row);
#pragma unroll
          for (int e = 0; e < K; ++e) x[r * K + e] = row[e];
        }
      });
    });
  }
  __device__ __forceinline__ void write_matrix(const View &view, const C (&x)[kValues]) const {
    with_size<kMost, kLeast>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      auto *to = address_of<UnsignedOf<kBytes>>(view);
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
          C row[K];
#pragma unroll
          for (int e = 0; e < K; ++e) row[e] = x[r * K + e];
          if (exists(r)) store_bits(to + r * view.row_step, narrow_words<typename decltype(tag)::type>(row));
        }
      });
    });
  }
  __device__ __forceinline__ void read_per_col(const View &view, C (&v)[K]) const {
    with_size<sizeof(C), kLeast>(view.dtype, [&](auto size) {
      using E = UnsignedOf<decltype(size)::value>;
      const auto words =
          load_bits<E, K>(static_cast<const E *>(view.data) + (blockIdx.y * view.batch_step + vector * K));
      with_type_of_size<decltype(size)::value>(view.dtype,
                                               [&](auto tag) { widen_words<typename decltype(tag)::type>(words, v); });
    });
  }
  __device__ __forceinline__ void read_per_row(const View &view, C (&v)[kRuns]) const {
    const int64_t at = blockIdx.y * view.batch_step + first * view.row_step;
    with_size<sizeof(C), kLeast>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const auto *from = static_cast<const UnsignedOf<kBytes> *>(view.data) + at;
      UnsignedOf<kBytes> raw[kRuns];
#pragma unroll
      for (int r = 0; r < kRuns; ++r) raw[r] = from[exists(r) ? r * view.row_step : 0];
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
#pragma unroll
        for (int r = 0; r < kRuns; ++r) v[r] = widen<C>(bits_as<typename decltype(tag)::type>(raw[r]));
      });
    });
  }
};

template <class C, int K, int kRuns, int kMost, bool kHasMatrices, int kBlocks>
__global__ void __launch_bounds__(kRowsThreads, (kBlocks - kFewerBlocks) * (kRunThreads / kRowsThreads))
    fused_act_chain_rows_kernel(const __grid_constant__ ChainRowsWork<C> work) {
  RowsReader<C, K, kRuns, kMost, kHasMatrices> reader;
  reader.rows = work.rows;
  reader.ahead = work.ahead;
  reader.first =
      kRuns * work.by_vectors.divide(static_cast<int32_t>(blockIdx.x * kRowsThreads + threadIdx.x), reader.vector);
  if (reader.first >= work.rows) return;
  run_steps(work.steps, reader);
}

}  // namespace gpuopt

#endif
