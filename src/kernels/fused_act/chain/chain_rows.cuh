// The reader of fused_act_chain for a thread that holds K columns of kRuns rows: of an aligned problem
// (aligned_rows.cuh), or of long rows that lie anyhow (unaligned_rows.cuh). The interpreting, addresses, and vectors
// along the row are shared by the rows.
#pragma once

#include "fused_act/common/chain_steps.cuh"
#include "fused_act/common/unaligned_rows.cuh"

namespace gpuopt {

template <class C, class Cut>
struct ChainRowsWork {
  Cut cut;
  ChainSteps<C> steps;
};

// kMost: bytes of the largest element of a matrix.
template <class C, class Rows, int kMost, bool kHasMatrices>
struct RowsReader {
  static constexpr int K = Rows::K, kRuns = Rows::kRuns;
  static constexpr int kValues = K * kRuns, kColumnValues = K, kRowValues = kRuns;
  static constexpr bool kMatrices = kHasMatrices;
  static constexpr int kLeast = K % 4 == 0 ? 1 : 2;  // bytes of an element: runs are whole words
  const typename Rows::Cut &cut;
  Rows rows;

  template <bool kAtOnce>
  __device__ __forceinline__ void read_rows(const View &view, C (&x)[kValues]) const {
    with_size<kMost, kLeast>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      Words<kBytes, K> words[kRuns];
      rows.template load<kBytes, kAtOnce>(cut, view, words);
      with_type_of_size<kBytes>(view.dtype,
                                [&](auto tag) { widen_rows<typename decltype(tag)::type, C, K>(words, x); });
    });
  }
  __device__ __forceinline__ void read_matrix(const View &view, C (&x)[kValues]) const { read_rows<true>(view, x); }
  // Beside the values, an unaligned matrix of 4-byte elements goes through fewer registers.
  __device__ __forceinline__ void apply_matrix(int32_t op, C factor, const View &view, C (&x)[kValues]) const {
    C a[kValues];
    read_rows<kMost != 4>(view, a);
    apply_with_matrix(op, factor, a, x);
  }
  __device__ __forceinline__ void write_matrix(const View &view, const C (&x)[kValues]) const {
    with_size<kMost, kLeast>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      auto *to = rows.template address_of<UnsignedOf<kBytes>>(view);
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
          const auto words = narrow_row<typename decltype(tag)::type, K>(x, r);
          if (rows.exists(cut, r)) rows.template store<kBytes>(cut, to + r * rows.step(cut, view), words);
        }
      });
    });
  }
  __device__ __forceinline__ void read_per_col(const View &view, C (&v)[K]) const {
    with_size<sizeof(C), kLeast>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const auto words = rows.template load_columns<kBytes>(cut, view);
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) { widen_words<typename decltype(tag)::type>(words, v); });
    });
  }
  __device__ __forceinline__ void read_per_row(const View &view, C (&v)[kRuns]) const {
    const int64_t at = blockIdx.y * view.batch_step + rows.first * view.row_step;
    with_size<sizeof(C), kLeast>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const auto *from = static_cast<const UnsignedOf<kBytes> *>(view.data) + at;
      UnsignedOf<kBytes> raw[kRuns];
#pragma unroll
      for (int r = 0; r < kRuns; ++r) raw[r] = from[rows.exists(cut, r) ? r * rows.step(cut, view) : 0];
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
#pragma unroll
        for (int r = 0; r < kRuns; ++r) v[r] = widen<C>(bits_as<typename decltype(tag)::type>(raw[r]));
      });
    });
  }
};

template <class C, class Rows, int kMost, bool kHasMatrices>
constexpr bool kAppliesMatrices<RowsReader<C, Rows, kMost, kHasMatrices>> = true;

template <class C, class Rows, int kMost, bool kHasMatrices, int kBlocks>
__global__ void __launch_bounds__(Rows::kThreads, (kBlocks - Rows::kFewer) * (kRunThreads / Rows::kThreads))
    fused_act_chain_rows_kernel(const __grid_constant__ ChainRowsWork<C, typename Rows::Cut> work) {
  RowsReader<C, Rows, kMost, kHasMatrices> reader = {work.cut, {}};
  if (Rows::find(work.cut, reader.rows)) run_steps(work.steps, reader);
}

// Unaligned instances are compiled beside the others, in common/chain_unaligned.cu: type, K, kRuns, kMost, matrices,
// blocks.
#define GPUOPT_CHAIN_UNALIGNED_(C, K, runs, most, matrices, blocks)                                        \
  template __global__ void fused_act_chain_rows_kernel<C, UnalignedRows<K, runs>, most, matrices, blocks>( \
      const __grid_constant__ ChainRowsWork<C, UnalignedCut>)
#define GPUOPT_CHAIN_UNALIGNED(X) \
  X(float, 8, 2, 2, true, 4) X(float, 8, 4, 2, false, 3) X(float, 4, 4, 4, true, 4) X(double, 2, 4, 8, true, 2)

}  // namespace gpuopt
