// The reader of fused_act_chain_shifted: K columns of kRuns rows that lie alike (shifted_rows.cuh).
#ifndef GPUOPT_KERNELS_FUSED_ACT_CHAIN_SHIFTED_CUH
#define GPUOPT_KERNELS_FUSED_ACT_CHAIN_SHIFTED_CUH

#include "fused_act/chain_steps.cuh"
#include "fused_act/shifted_rows.cuh"

namespace gpuopt {

template <class C>
struct ChainShiftedWork {
  ShiftedRows cut;
  ChainSteps<C> steps;
};

// kMost: bytes of the largest element of a matrix.
template <class C, int K, int kRuns, int kMost, bool kHasMatrices>
struct ShiftedReader {
  static constexpr int kValues = K * kRuns, kColumnValues = K, kRowValues = kRuns;
  static constexpr bool kMatrices = kHasMatrices;
  static constexpr int kLeast = K % 4 == 0 ? 1 : 2;  // bytes of an element: runs are whole words
  const ShiftedRows &cut;
  ShiftedSpot spot;

  template <bool kAtOnce>
  __device__ __forceinline__ void read_rows(const View &view, C (&x)[kValues]) const {
    with_size<kMost, kLeast>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      Words<kBytes, K> words[kRuns];
      load_shifted_rows<kBytes, K, kRuns, kAtOnce>(view, cut, spot, words);
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
  __device__ __forceinline__ void read_matrix(const View &view, C (&x)[kValues]) const { read_rows<true>(view, x); }
  // Beside the values, a matrix of 4-byte elements goes through fewer registers.
  __device__ __forceinline__ void apply_matrix(int32_t op, C factor, const View &view, C (&x)[kValues]) const {
    C a[kValues];
    read_rows<kMost != 4>(view, a);
    apply_with_matrix(op, factor, a, x);
  }
  __device__ __forceinline__ void write_matrix(const View &view, const C (&x)[kValues]) const {
    with_size<kMost, kLeast>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      auto *to = static_cast<UnsignedOf<kBytes> *>(view.data) +
                 (blockIdx.y * view.batch_step + spot.first * view.row_step + spot.column);
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
          C row[K];
#pragma unroll
          for (int e = 0; e < K; ++e) row[e] = x[r * K + e];
          const auto words = narrow_words<typename decltype(tag)::type>(row);
          if (spot.exists(cut, r))
            store_shifted_row<kBytes, K>(to + r * (view.row_step << cut.log2_apart), cut, spot, words);
        }
      });
    });
  }
  __device__ __forceinline__ void read_per_col(const View &view, C (&v)[K]) const {
    with_size<sizeof(C), kLeast>(view.dtype, [&](auto size) {
      const auto words = load_shifted_vector<decltype(size)::value, K>(view, cut, spot);
      with_type_of_size<decltype(size)::value>(view.dtype,
                                               [&](auto tag) { widen_words<typename decltype(tag)::type>(words, v); });
    });
  }
  __device__ __forceinline__ void read_per_row(const View &view, C (&v)[kRuns]) const {
    const int64_t at = blockIdx.y * view.batch_step + spot.first * view.row_step;
    with_size<sizeof(C), kLeast>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const auto *from = static_cast<const UnsignedOf<kBytes> *>(view.data) + at;
      UnsignedOf<kBytes> raw[kRuns];
#pragma unroll
      for (int r = 0; r < kRuns; ++r) raw[r] = from[spot.exists(cut, r) ? r * (view.row_step << cut.log2_apart) : 0];
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
#pragma unroll
        for (int r = 0; r < kRuns; ++r) v[r] = widen<C>(bits_as<typename decltype(tag)::type>(raw[r]));
      });
    });
  }
};

template <class C, int K, int kRuns, int kMost, bool kHasMatrices>
constexpr bool kAppliesMatrices<ShiftedReader<C, K, kRuns, kMost, kHasMatrices>> = true;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr int kFewerShiftedBlocks = 1;
#else
constexpr int kFewerShiftedBlocks = kFewerBlocks;
#endif

template <class C, int K, int kRuns, int kMost, bool kHasMatrices, int kBlocks>
__global__ void __launch_bounds__(kShiftedThreads, (kBlocks - kFewerShiftedBlocks) * (kRunThreads / kShiftedThreads))
    fused_act_chain_shifted_kernel(const __grid_constant__ ChainShiftedWork<C> work) {
  ShiftedReader<C, K, kRuns, kMost, kHasMatrices> reader = {work.cut, {}};
  if (find_shifted<K, kRuns>(work.cut, reader.spot)) run_steps(work.steps, reader);
}

}  // namespace gpuopt

#endif
