// Column reductions: threads side by side along the columns, each walking down rows; the rest of the block, and further
// blocks, take other rows.
//
// Data movement: every byte once, in pieces of 16 bytes (of 1-byte types 8); a warp's load covers up to 512 contiguous
// bytes of a row, and several rows of every thread are under way. Nothing is exchanged until the end, when the block
// joins its threads in shared memory. Where a strip of columns is shared by several blocks (its splits), they meet within
// the launch. Blocks of a cluster give each of them the totals of some columns, into its shared memory. Where a strip has
// several clusters, each leaves a partial a column, and the cluster that started last combines them in their order
// (slots.cuh); by then every block has few columns, and so many threads for each that one trip to the L2 cache is enough.
//
// Rows need not begin at 16-byte boundaries: a thread's rows are a multiple of N (the elements of a piece) apart, so
// the distance from a row's first column of the strip back to a boundary, its phase, is the same for all of
// them. The thread reads from that boundary, and its columns are those before the ones it would have by as many as the
// phase; a strip is one piece narrower than its lanes then. What a piece holds beyond the matrix's columns is computed and never
// used; where rows are shorter than a piece, some of its 16 bytes may be none of the matrix, but never all. In the first row and
// the last elements are read one by one, and those of DOT's y where its rows, or those of x, are not at 16-byte boundaries.
#pragma once

#include "common/cluster.cuh"
#include "common/dependent_launch.cuh"
#include "common/dtypes.cuh"
#include "reduce/columns/column_lanes.cuh"
#include "reduce/columns/columns.h"
#include "reduce/common/dispatch.cuh"
#include "reduce/common/slots.cuh"

namespace gpuopt {

// What follows the reading is shared by all types that are computed alike: out of line, and compiled once for each.

template <class Partial>
__device__ __forceinline__ Partial *column_partials() {
  extern __shared__ uint4 gpuopt_column_memory[];  // a row of 16-byte pieces, so aligned for any partial
  return reinterpret_cast<Partial *>(gpuopt_column_memory);
}

// The partials of `width` columns for each of `rows` lanes of rows, lane by lane in shared memory: those of lane 0
// become the totals. Eight lanes at a time.
template <class Op>
__device__ __noinline__ void join_rows(int width, int rows) {
  auto *shared = column_partials<typename Op::Partial>();
  while (rows > 1) {
    const int left = (rows + 7) / 8, first_beyond = rows * width, step = left * width;
    __syncthreads();
    for (int at = threadIdx.x; at < step; at += blockDim.x) {
      typename Op::Partial total = shared[at];
#pragma unroll
      for (int k = 1; k < 8; ++k) {
        if (at + k * step < first_beyond) total = Op::combine(total, shared[at + k * step]);
      }
      shared[at] = total;
    }
    rows = left;
  }
  __syncthreads();
}

// With the block's totals of columns [0, in_strip) in shared memory, the first being column first_col of matrix p:
// writes those of the strip's splits, or leaves them to the cluster that drew the last ticket (thread 0's counts). Its
// arguments are read through pointers, which costs time that blocks without splits save.
template <class Op>
__device__ __noinline__ void finish_columns(OpState state, const ColumnWalk &walk, const Meeting &meeting,
                                            const ReduceOutput &output, ClusterInbox &inbox, int64_t result,
                                            uint32_t cluster, uint32_t p, int64_t first_col, int in_strip,
                                            uint32_t ticket) {
  using Second = typename Op::Second;
  using First = typename Op::Partial;
  using Partial = typename Second::Partial;
  constexpr int W = kWords<First>;
  auto *shared = column_partials<First>();
  // `parts` threads a column of this block's share, a power of two.
  const int log_share = walk.log_share, parts = static_cast<int>(blockDim.x) >> log_share;
  const int c = threadIdx.x & ((1 << log_share) - 1), part = threadIdx.x >> log_share;
  const int block = block_of_cluster(), first = block << log_share;
  const bool is_column = first + c < in_strip;
  Partial total = Second::identity();
  if (walk.cluster > 1) {
    auto *received = shared + walk.row_lanes * walk.width;  // the share of every block, one behind the other
    inbox.wait_for_others();
    if (threadIdx.x < walk.width) inbox.send(received + first + c, part, shared[threadIdx.x]);
    inbox.wait();
    if (is_column) {
#pragma unroll 4
      for (int b = 0; b < walk.cluster; ++b)
        total = Second::combine(total, static_cast<Partial>(received[(b << log_share) + c]));
    }
  } else if (is_column) {
    total = static_cast<Partial>(shared[c]);
  }
  const int clusters = walk.cluster_count;
  if (clusters > 1) {
    const First own = static_cast<First>(total);
    uint64_t *slots = meeting.slots + ((result * clusters) << log_share) * W;
    if (__syncthreads_or(threadIdx.x == 0 && ticket == static_cast<uint32_t>(clusters - 1)) == 0) {
      if (part == 0 && is_column) leave_partial(slots + ((cluster << log_share) + c) * W, own);
      return;
    }
    if (is_column)
      total =
          gather_partials<Op, 8>(slots + c * W, W << log_share, part, clusters, parts, static_cast<int>(cluster), own);
    __syncthreads();
    column_partials<Partial>()[threadIdx.x] = total;
    join_rows<Second>(1 << log_share, parts);
    total = column_partials<Partial>()[c];
  }
  if (part == 0 && is_column) write_result(Second{state}, output, p, first_col + first + c, total);
}

template <int kDtype, int kOp>
__device__ __forceinline__ void reduce_columns(OpState state, const ColumnWalk &walk, const Meeting &meeting,
                                               const ReduceOutput &output) {
  using Op = OpOfChoice<kOp, kDtype>;
  using T = typename TypesOf<kDtype>::Stored;
  constexpr int N = columns_of_thread(sizeof(T)), U = rows_under_way(sizeof(T), kOp);
  using Piece = Pack<T, N>;
  // Squares and magnitudes share an instance, which asks the state.
  const Op op{kOp == kSumOfSquares ? state : state_of_choice<kOp>(state)};
  uint32_t lane_index;
  const int row_lane = static_cast<int>(walk.lanes.divide(threadIdx.x, lane_index)), row_lanes = walk.row_lanes;
  const int lane = static_cast<int>(lane_index), width = walk.width;
  uint32_t strip, cluster;
  const uint32_t strip_of_all = walk.clusters.divide(cluster_index(), cluster);
  const uint32_t p = walk.strips.divide(strip_of_all, strip), block = block_of_cluster();
  const int64_t split = int64_t{cluster} * walk.cluster + block;
  // That clusters meet for: a block's share of a strip.
  const int64_t result = int64_t{strip_of_all} * walk.cluster + block;
  uint32_t ticket = 0;
  __shared__ ClusterInbox inbox;
  if (walk.cluster > 1)
    inbox.open(walk.cluster * columns_of_share(width, block, walk.log_share) * sizeof(typename Op::Partial));
  wait_for_stream();
  if (walk.cluster_count > 1) {
    constexpr int W = kWords<typename Op::Partial>;
    if (threadIdx.x == 0) ticket = draw_wrapping_ticket(meeting.tickets + result, walk.cluster_count);
    if (threadIdx.x >> walk.log_share == 0)
      fetch_slot(meeting.slots + (((result * walk.cluster_count + cluster) << walk.log_share) + threadIdx.x) * W);
  }

  // The piece of the first row begins `phase` elements before the column that the thread would otherwise have first;
  // `column` is that of the piece's first element, counted from the strip's.
  const int64_t first_col = int64_t{strip} * width, first_row = split * walk.range + row_lane;
  const int in_strip = walk.cols - first_col < width ? static_cast<int>(walk.cols - first_col) : width;
  const T *x = static_cast<const T *>(walk.x.data) + walk.x.offset(p, first_row, first_col);
  const T *y = Op::kReadsY ? static_cast<const T *>(walk.y.data) + walk.y.offset(p, first_row, first_col) : nullptr;
  const int phase = walk.any_phase ? static_cast<int>(reinterpret_cast<uintptr_t>(x) / sizeof(T) % N) : 0;
  const int column = lane * N - phase;
  x += column;
  if constexpr (Op::kReadsY) y += column * walk.y.col_step;
  const int64_t range_end = (split + 1) * walk.range, end = range_end < walk.rows ? range_end : walk.rows;
  // Rows of this thread, and the next.
  int rows = 0, now = 0;
  if (row_lane < row_lanes && first_row < end && column < in_strip)
    rows = static_cast<int>((static_cast<uint32_t>(end - first_row) + row_lanes - 1) / row_lanes);
  const int64_t x_step = row_lanes * walk.x.row_step, y_step = row_lanes * walk.y.row_step;

  const auto is_column = [&](int e) { return column + e >= 0 && column + e < in_strip; };

  ColumnLanes<Op, T, N> of_columns;
  const auto absorb_elements = [&](int row) {
    Piece of_x = {}, of_y = {};
#pragma unroll
    for (int e = 0; e < N; ++e) {
      if (!is_column(e)) continue;
      of_x.v[e] = x[row * x_step + e];
      if constexpr (Op::kReadsY) of_y.v[e] = y[row * y_step + e * walk.y.col_step];
    }
    of_columns.absorb(op, of_x, of_y, row);
  };
  // Rows are absorbed in their order, which decides between equal values: the last comes after all others.
  bool last_by_elements = false;
  if (walk.any_phase && rows > 0) {
    if (first_row == 0 && first_col + column < 0) absorb_elements(now++);
    const int64_t last_row = first_row + int64_t{rows - 1} * row_lanes;
    last_by_elements = now < rows && last_row == walk.rows - 1 && first_col + column + N > walk.cols;
    if (last_by_elements) --rows;
  }
  const T *from_x = x + now * x_step, *from_y = y + (Op::kReadsY ? now * y_step : 0);
  const auto absorb_rows = [&](auto is_whole) {
    Piece of_x[U], of_y[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (!is_whole.value && now + u >= rows) continue;
      of_x[u] = *reinterpret_cast<const Piece *>(from_x + u * x_step);
      if constexpr (Op::kReadsY) {
        if (walk.y_pieces) {
          of_y[u] = *reinterpret_cast<const Piece *>(from_y + u * y_step);
        } else {
#pragma unroll
          for (int e = 0; e < N; ++e) of_y[u].v[e] = is_column(e) ? from_y[u * y_step + e * walk.y.col_step] : T();
        }
      }
    }
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (is_whole.value || now + u < rows) of_columns.absorb(op, of_x[u], of_y[u], now + u);
    }
    from_x += U * x_step;
    if constexpr (Op::kReadsY) from_y += U * y_step;
    now += U;
  };
  // The loop without checks is worth its code where the op is a cheap one.
  if constexpr (kOp == kSum || kOp == kExtreme) {
    while (now + U <= rows) absorb_rows(std::true_type{});
    if (now < rows) absorb_rows(std::false_type{});
  } else {
    while (now < rows) absorb_rows(std::false_type{});
  }
  if (last_by_elements) absorb_elements(rows);

  auto *shared = column_partials<typename Op::Partial>();
#pragma unroll
  for (int e = 0; e < N; ++e) {
    if (row_lane < row_lanes && column + e >= 0 && column + e < width)
      shared[row_lane * width + column + e] = of_columns.partial(op, e, first_row, row_lanes);
  }
  join_rows<Op>(width, row_lanes);
  if (walk.cluster_count > 1 || walk.cluster > 1) {
    finish_columns<Op>(state, walk, meeting, output, inbox, result, cluster, p, first_col, in_strip, ticket);
  } else if (threadIdx.x < in_strip) {
    using Second = typename Op::Second;
    write_result<T>(Second{state}, output, p, first_col + threadIdx.x,
                    static_cast<typename Second::Partial>(shared[threadIdx.x]));
  }
}

template <int kDtype, int kOp>
__global__ void __launch_bounds__(column_threads(dtype_bytes(kDtype), kOp), 1)
    reduce_columns_kernel(OpState state, const __grid_constant__ ColumnWalk walk,
                          const __grid_constant__ Meeting meeting, const __grid_constant__ ReduceOutput output) {
  reduce_columns<kDtype, kOp>(state, walk, meeting, output);
}

}  // namespace gpuopt
