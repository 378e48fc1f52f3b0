// Sums of columns where nothing is special: one matrix, a block or a cluster a strip from top to bottom, totals of the
// commonest kind. The data movement of columns.cuh, in a third of its code: of a small matrix every line of code and parameters
// is waited for, and of any the start and the end.
#pragma once

#include "common/cluster.cuh"
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
  __shared__ float partials[512 * N], received[2 * kWarp * N];
  const Op op{{kValue, 0}};
  const int thread = static_cast<int>(threadIdx.x), lanes = walk.lanes, width = walk.width, row_lanes = walk.row_lanes;
  const int row_lane = static_cast<int>(threadIdx.x * walk.magic >> 16), lane = thread - row_lane * lanes;
  // Lanes of rows of the whole cluster.
  const int block = block_of_cluster(), all_lanes = walk.cluster * row_lanes, of_all = block * row_lanes + row_lane;
  const int64_t first_col = int64_t{cluster_index()} * width;
  const int in_strip = walk.cols - first_col < width ? static_cast<int>(walk.cols - first_col) : width;
  const T *x = static_cast<const T *>(walk.x) + of_all * walk.ld + first_col;
  const bool any_phase = lanes * N != width;
  const int phase = any_phase ? static_cast<int>(reinterpret_cast<uintptr_t>(x) / sizeof(T) % N) : 0;
  const int column = lane * N - phase;
  x += column;
  const int64_t step = all_lanes * walk.ld;
  int left = row_lane < row_lanes && column < in_strip ? walk.each + (of_all < walk.rest ? 1 : 0) : 0;
  __shared__ ClusterInbox inbox;
  if (walk.cluster > 1) inbox.open(walk.cluster * columns_of_share(width, block, walk.log_share) * sizeof(float));
  wait_for_stream();

  ColumnLanes<Op, T, N> sums;
  // Pieces that begin before the matrix's first element or end behind its last.
  if (any_phase) {
    const int last_lane = (walk.rest > 0 ? walk.rest : all_lanes) - 1;
#pragma unroll 1
    for (int end = 0; end < 2; ++end) {
      if (left == 0 || of_all != (end == 0 ? 0 : last_lane)) continue;
      if (end == 0 ? first_col + column >= 0 : first_col + column + N <= walk.cols) continue;
      --left;
      const T *from = end == 0 ? x : x + left * step;
      if (end == 0) x += step;
      Piece piece = {};
#pragma unroll
      for (int e = 0; e < N; ++e) {
        if (column + e >= 0 && column + e < in_strip) piece.v[e] = from[e];
      }
      sums.absorb(op, piece, piece, 0);
    }
  }
  // The last turn has no code of its own: of a small matrix every line of code is waited for.
#pragma unroll 1
  for (; left > 0; left -= U) {
    Piece pieces[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u < left) pieces[u] = *reinterpret_cast<const Piece *>(x + u * step);
    }
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u >= left) break;
      sums.absorb(op, pieces[u], pieces[u], 0);
    }
    x += U * step;
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
  if (walk.cluster == 1 && thread >= in_strip) return;
  float total = 0;
  if (thread < width) {
    total = partials[thread];
#pragma unroll 4
    for (int part = 1; part < parts; ++part) total += partials[part * width + thread];
  }
  int of_strip = thread;
  if (walk.cluster > 1) {  // each block has the totals of its share
    const int log_share = walk.log_share, share = 1 << log_share, first = block << log_share;
    inbox.wait_for_others();
    if (thread < width) inbox.send(received + first + (thread & (share - 1)), thread >> log_share, total);
    inbox.wait();
    of_strip = first + thread;
    if (thread >= share || of_strip >= in_strip) return;
    total = received[thread];
#pragma unroll 4
    for (int b = 1; b < walk.cluster; ++b) total += received[(b << log_share) + thread];
  }
  write_plain<T, float>(op, walk.out, first_col + of_strip, total);
}

}  // namespace gpuopt
