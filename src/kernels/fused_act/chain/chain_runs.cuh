// The reader of fused_act_chain for every other row-major problem: a thread holds one run (runs.cuh), whatever its
// head, tail and crossing, and whichever way the operands are aligned.
#pragma once

#include "fused_act/common/chain_steps.cuh"
#include "fused_act/common/run_operands.cuh"

namespace gpuopt {

template <class C>
struct ChainRunsWork {
  Runs runs;
  View out;
  int32_t out_bytes;
  int32_t
      ahead;  // elements, or rows where a line is a row, between a block and the one that takes its place: to prefetch
  ChainSteps<C> steps;
};

// kMost: bytes of the largest element of a matrix.
template <class C, int K, int kMost>
struct RunsReader {
  static constexpr int kValues = K, kColumnValues = K, kRowValues = K;
  static constexpr bool kMatrices = true;
  const Runs &runs;
  Spot spot;
  int32_t ahead;

  template <int kLargest>
  __device__ __forceinline__ void read(const View &view, C (&x)[K]) const {
    with_size<kLargest>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const auto words = load_run_bits<K, UnsignedOf<kBytes>>(view, runs, spot);
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) { widen_words<typename decltype(tag)::type>(words, x); });
    });
  }
  __device__ __forceinline__ void read_matrix(const View &view, C (&x)[K]) const {
    if (runs.flat ? spot.e < runs.length - ahead : spot.i < runs.rows - ahead) {
      const int64_t offset = line_offset(view, runs, spot) + spot.e + (runs.flat ? ahead : ahead * view.row_step);
      prefetch(static_cast<const char *>(view.data) + offset * bytes_of(view.dtype));
    }
    read<kMost>(view, x);
  }
  __device__ __forceinline__ void read_per_col(const View &view, C (&x)[K]) const { read<sizeof(C)>(view, x); }
  // Two elements: those of the run's row and of the next, where it crosses.
  __device__ __forceinline__ void read_per_row(const View &view, C (&x)[K]) const {
    const int32_t left = runs.cols - spot.j;
    const bool last = spot.i + 1 == runs.rows;
    const int64_t here = view.offset(spot.p, spot.i, 0);
    const int64_t there = spot.end <= left ? here : view.offset(spot.p + (last ? 1 : 0), last ? 0 : spot.i + 1, 0);
    with_size<sizeof(C)>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const auto *data = static_cast<const UnsignedOf<kBytes> *>(view.data);
      const UnsignedOf<kBytes> first = data[here], second = data[there];
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const C v = widen<C>(bits_as<T>(first)), w = widen<C>(bits_as<T>(second));
#pragma unroll
        for (int e = 0; e < K; ++e) x[e] = e < left ? v : w;
      });
    });
  }
  __device__ __forceinline__ void write_matrix(const View &view, const C (&x)[K]) const {
    with_size<kMost>(view.dtype, [&](auto size) {
      with_type_of_size<decltype(size)::value>(view.dtype, [&](auto tag) {
        store_run_bits<K>(view, runs, spot, narrow_words<typename decltype(tag)::type>(x));
      });
    });
  }
};

template <class C, int K, int kMost, int kBlocks>
__global__ void __launch_bounds__(kRunThreads, kBlocks - kFewerBlocks)
    fused_act_chain_runs_kernel(const __grid_constant__ ChainRunsWork<C> work) {
  RunsReader<C, K, kMost> reader = {work.runs, {}, work.ahead};
  if (find_spot<K>(work.runs, work.out, work.out_bytes, reader.spot)) run_steps(work.steps, reader);
}

}  // namespace gpuopt
