// Sums of columns where nothing is special: one matrix, a block a strip from top to bottom, totals of the commonest
// kind. The data movement of columns.cuh, in a third of its code: of a small matrix every line of code and parameters
// is waited for, and of any the start and the end.
#pragma once

#include "common/dependent_launch.cuh"
#include "reduce/columns/column_lanes.cuh"
#include "reduce/columns/columns.h"
#include "reduce/common/dispatch.cuh"

namespace gpuopt {

template <int kDtype>
__global__ void __launch_bounds__(512, 2) reduce_plain_columns(const __grid_constant__ PlainColumns walk) {
  using Op = Sum<float>;
  using T = typename TypesOf<kDtype>::Stored;
  constexpr int N = columns_of_thread(sizeof(T)), U = 8, kAtOnce = 16;
  using Piece = Pack<T, N>;
  __shared__ float partials[512 * N];
  const Op op{{kValue, 0}};
  const int thread = static_cast<int>(threadIdx.x), lanes = walk.lanes, width = walk.width, row_lanes = walk.row_lanes;
  const int row_lane = static_cast<int>(threadIdx.x * walk.magic >> 16), lane = thread - row_lane * lanes;
  const int64_t first_col = int64_t{blockIdx.x} * width;
  const int in_strip = walk.cols - first_col < width ? static_cast<int>(walk.cols - first_col) : width;
  const T *x = static_cast<const T *>(walk.x) + row_lane * walk.ld + first_col;
  const bool any_phase = lanes * N != width;
  const int phase = any_phase ? static_cast<int>(reinterpret_cast<uintptr_t>(x) / sizeof(T) % N) : 0;
  const int column = lane * N - phase;
  x += column;
  const int64_t step = row_lanes * walk.ld;
  int left = row_lane < row_lanes && column < in_strip ? walk.each + (row_lane < walk.rest ? 1 : 0) : 0;
  wait_for_stream();

  ColumnLanes<Op, T, N> sums;
  const auto absorb_elements = [&](const T *from) {
    Piece piece = {};
#pragma unroll
    for (int e = 0; e < N; ++e) {
      if (column + e >= 0 && column + e < in_strip) piece.v[e] = from[e];
    }
    sums.absorb(op, piece, piece, 0);
  };
  // Pieces that begin before the matrix's first element or end behind its last.
  if (any_phase && left > 0) {
    if (row_lane == 0 && first_col + column < 0) {
      absorb_elements(x);
      x += step;
      --left;
    }
    const int last_lane = (walk.rest > 0 ? walk.rest : row_lanes) - 1;
    if (left > 0 && row_lane == last_lane && first_col + column + N > walk.cols) {
      --left;
      absorb_elements(x + left * step);
    }
  }
  Piece pieces[U];
#pragma unroll 1
  for (; left >= U; left -= U) {
#pragma unroll
    for (int u = 0; u < U; ++u) pieces[u] = *reinterpret_cast<const Piece *>(x + u * step);
#pragma unroll
    for (int u = 0; u < U; ++u) sums.absorb(op, pieces[u], pieces[u], 0);
    x += U * step;
  }
#pragma unroll
  for (int u = 0; u < U; ++u) {
    if (u < left) pieces[u] = *reinterpret_cast<const Piece *>(x + u * step);
  }
#pragma unroll
  for (int u = 0; u < U; ++u) {
    if (u < left) sums.absorb(op, pieces[u], pieces[u], 0);
  }

  // Lane by lane of rows in shared memory; sixteen are added at a time, and the rest for each column by one thread.
#pragma unroll
  for (int e = 0; e < N; ++e) {
    if (row_lane < row_lanes && column + e >= 0 && column + e < width)
      partials[row_lane * width + column + e] = sums.sum[e];
  }
  __syncthreads();
  const int parts = (row_lanes + kAtOnce - 1) / kAtOnce, beyond = row_lanes * width, stride = parts * width;
#pragma unroll 1
  for (int at = thread; at < stride; at += static_cast<int>(blockDim.x)) {
    float total = partials[at];
#pragma unroll
    for (int k = 1; k < kAtOnce; ++k) {
      if (at + k * stride < beyond) total += partials[at + k * stride];
    }
    partials[at] = total;
  }
  __syncthreads();
  if (thread >= in_strip) return;
  float total = partials[thread];
#pragma unroll 4
  for (int part = 1; part < parts; ++part) total += partials[part * width + thread];
  walk.out[first_col + thread] = total;
}

}  // namespace gpuopt
