// The kernels of norm_warp_row: some lanes of a warp hold a row, alone, before interpreted stages, before a linear chain.
#pragma once

#include "norm/common/row.cuh"
#include "norm/common/row_stages.cuh"
#include "norm/common/row_whole.cuh"
#include "norm/registers/linear_row.cuh"
#include "norm/registers/warp_row.h"

namespace gpuopt {

// V vectors of a row a lane; in kRowWhole of as many rows as make four vectors.
template <class T, int kNorm, int V, int kMode>
__global__ void __launch_bounds__(kWarpRowThreads, kMode == kRowWhole ? (V == kVectorsOfLane ? 3 : 4) : 2)
    norm_warp_row_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2) {
  LaneGroup group{lanes};
  const auto place = [&](int32_t row, int32_t &i) {
    i = row;
    if (work.batch == 1) return 0;
    const int32_t p = row / work.rows;
    i = row - p * work.rows;
    return p;
  };
  const auto slot = static_cast<int32_t>(threadIdx.x >> lanes_log2);
  const int32_t rows_at_once = kWarpRowThreads >> lanes_log2;
  if constexpr (kMode == kRowWhole) {
    constexpr int kRows = kVectorsOfLane / V;
    const int32_t total = work.rows * work.batch;
    Bits<T, 16 / sizeof(T)> bits[kRows][V];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int32_t row = (static_cast<int32_t>(blockIdx.x) * kRows + r) * rows_at_once + slot;
      int32_t i;
      const int32_t p = place(row < total ? row : total - 1, i);
      load_whole_row(start_of_row<T>(work.x, p, i), group, bits[r]);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int32_t row = (static_cast<int32_t>(blockIdx.x) * kRows + r) * rows_at_once + slot;
      int32_t i;
      const int32_t p = place(row, i);
      norm_whole_row<T, kNorm, false>(work, group, bits[r], p, i, row < total);
    }
  } else {
    const int32_t row = static_cast<int32_t>(blockIdx.x) * rows_at_once + slot;
    int32_t i;
    const int32_t p = place(row, i);
    norm_row<T, kNorm, V, kMode, false>(work, group, start_of_row<T>(work.x, p, i),
                                        start_of_row<T>(work.residual, p, i), p, i, p < work.batch && i < work.rows);
  }
}

// Rows of exactly four vectors a lane.
template <class T, int kNorm>
__global__ void __launch_bounds__(kWarpChainThreads, 4)
    norm_warp_stages_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2) {
  LaneGroup group{lanes};
  const auto row = static_cast<int32_t>((blockIdx.x * kWarpChainThreads + threadIdx.x) >> lanes_log2);
  const int32_t total = work.rows * work.batch, read = row < total ? row : total - 1;
  int32_t i;
  const int32_t p = work.place(read, i);
  Bits<T, 16 / sizeof(T)> bits[kVectorsOfLane];
  load_whole_row(start_of_row<T>(work.x, p, i), group, bits);
  norm_whole_row<T, kNorm, true>(work, group, bits, p, i, row < total);
}

template <class T, int kNorm>
__global__ void __launch_bounds__(kWarpChainThreads, 8)
    norm_warp_linear_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ RowLinear chain, int lanes,
                            int lanes_log2) {
  LaneGroup group{lanes};
  const auto row = static_cast<int32_t>((blockIdx.x * kWarpChainThreads + threadIdx.x) >> lanes_log2);
  const int32_t total = work.rows * work.batch, read = row < total ? row : total - 1;
  int32_t i;
  const int32_t p = work.place(read, i);
  norm_linear_row<T, kNorm, kVectorsOfLane>(work, chain, group, p, i, row < total);
}

}  // namespace gpuopt
