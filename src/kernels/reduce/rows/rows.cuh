// The kernel of reduce_rows: a row by a warp, or by up to a block.
#pragma once

#include "common/dependent_launch.cuh"
#include "common/dtypes.cuh"
#include "reduce/common/dispatch.cuh"
#include "reduce/common/join.cuh"
#include "reduce/common/join_down.cuh"
#include "reduce/common/read_vectors.cuh"
#include "reduce/common/resolve.cuh"
#include "reduce/rows/rows.h"

namespace gpuopt {

// Blocks a multiprocessor that registers are to suffice for. sm_75 has room for four; on sm_80 extremes take more
// registers than five leave.
#if __CUDA_ARCH__ == 750
constexpr int kMostRowBlocks = 4, kMostExtremeBlocks = 4;
#elif __CUDA_ARCH__ == 800
constexpr int kMostRowBlocks = 5, kMostExtremeBlocks = 4;
#else
constexpr int kMostRowBlocks = 5, kMostExtremeBlocks = 5;
#endif
constexpr int row_blocks(int dtype, int op) {
  if (dtype_bytes(dtype) == 1) return 2;
  if (computed_dtype(dtype) != GPUOPT_F32 || op == kDot) return 4;
  return op == kExtreme ? kMostExtremeBlocks : kMostRowBlocks;
}

// Joins the partials of the threads of each row of a block; the first of them gets the result. All threads call it.
template <class Op>
__device__ __forceinline__ typename Op::Partial join_row(typename Op::Partial partial, int per_row, int thread) {
  constexpr int kWarps = kRowThreads / kWarp;
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if constexpr (kIsElementWord<Op>) {
    __shared__ uint64_t of_warp[kWarps];
    uint64_t word = least_of_warp(element_word(partial.key, static_cast<uint32_t>(partial.index)));
    if (per_row > kWarp) {
      if (lane == 0) of_warp[warp] = word;
      __syncthreads();
      if (thread < kWarp) word = least_of_warp(lane < per_row / kWarp ? of_warp[warp + lane] : ~uint64_t{0});
    }
    return of_element_word(word);
  } else {
    __shared__ typename Op::Partial of_warp[kWarps];
    partial = join_warp<Op>(partial);
    if (per_row == kWarp) return partial;
    if (lane == 0) of_warp[warp] = partial;
    __syncthreads();
    if (thread < kWarp) {
      partial = lane < per_row / kWarp ? of_warp[warp + lane] : Op::identity();
#pragma unroll
      for (int distance = kWarps / 2; distance > 0; distance /= 2)
        partial = Op::combine(partial, shuffle_down(partial, distance));
    }
    return partial;
  }
}

template <int kDtype, int kOp, bool kWhole>
__global__ void __launch_bounds__(kRowThreads, row_blocks(kDtype, kOp))
    reduce_rows_kernel(OpState state, RowWalk walk, ReduceOutput output) {
  using Op = OpOfChoice<kOp, kDtype>;
  using C = typename Op::Computed;
  using T = typename TypesOf<kDtype>::Stored;
  constexpr int N = kVector<T>;
  const Op op{state_of_choice<kOp>(state)};
  const int per_row = 1 << walk.log_per_row, thread = threadIdx.x & (per_row - 1);
  const uint32_t row = (blockIdx.x << (31 - __clz(kRowThreads) - walk.log_per_row)) + (threadIdx.x >> walk.log_per_row);
  const bool is_row = row < walk.rows;
  uint32_t p = 0, i = is_row ? row : 0;
  if (!kWhole && walk.has_many) p = walk.per_matrix.divide(i, i);
  wait_for_stream();
  const T *x = static_cast<const T *>(walk.x.data) + walk.x.offset(p, i, 0);
  const T *y = Op::kReadsY ? static_cast<const T *>(walk.y.data) + walk.y.offset(p, i, 0) : nullptr;

  const int head = kWhole ? 0 : line_head(x, walk.length);
  const int64_t body = (walk.length - head) / N;
  // The ends have less than N, so at most 15 elements each: the first warp's halves take them.
  const int tail = static_cast<int>(walk.length - head - body * N), half = thread & 15;
  const bool has_end = !kWhole && is_row && thread < kWarp && half < (thread < 16 ? head : tail);
  const int64_t end_index = half + (thread < 16 ? 0 : head + body * N);
  T end_x = T(), end_y = T();
  if (has_end) {
    end_x = x[end_index];
    if constexpr (Op::kReadsY) end_y = y[end_index];
  }

  Lane<Op, T, N> lane;
  const int64_t index = head + int64_t{thread} * N;
  LineReader<Op, T, N> reader = {
      reinterpret_cast<const Loaded<Op, T, N> *>(x + index),
      reinterpret_cast<const Loaded<Op, T, N> *>(y + (Op::kReadsY ? index : 0)), index,
      is_row && body > thread ? static_cast<int>((body - thread + per_row - 1) >> walk.log_per_row) : 0, per_row};
  reader.template read<Op::kReadsY ? kLineInFlight / 2 : kLineInFlight>(lane, op);
  typename Op::Partial partial = lane.partial(op);
  if (has_end) partial = Op::combine(partial, op.map(widen<C>(end_x), Op::kReadsY ? widen<C>(end_y) : C(0), end_index));

  partial = join_row<Op>(partial, per_row, thread);
  if (thread >= kWarp || !is_row) return;
  partial = resolve_by_warp<N>(op, partial, x, walk.length);
  using Second = typename Op::Second;
  if (thread != 0) return;
  const auto total = static_cast<typename Second::Partial>(partial);
  if constexpr (!kIsWideSum<Op>) {
    if (kWhole || walk.plain.data != nullptr) return write_plain<T, C>(Second{state}, walk.plain, row, total);
  }
  write_result<T>(Second{state}, output, p, i, total);
}

}  // namespace gpuopt
