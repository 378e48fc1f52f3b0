// The kernel of reduce_split_lines: a block reads its part of a line, and meets the others of that line.
#pragma once

#include "common/dependent_launch.cuh"
#include "common/dtypes.cuh"
#include "reduce/common/dispatch.cuh"
#include "reduce/common/join_down.cuh"
#include "reduce/common/resolve.cuh"
#include "reduce/common/slots.cuh"
#include "reduce/line/read_line.cuh"
#include "reduce/line/split_lines.h"

namespace gpuopt {

// The x of the whole block, in a fixed order; thread 0 gets the result. Threads come in whole warps. A block that
// calls it twice synchronises in between.
template <class Op>
__device__ __forceinline__ typename Op::Partial join_block(typename Op::Partial x) {
  __shared__ typename Op::Partial of_warp[kWarp];
  x = join_warp<Op>(x);
  const int warps = blockDim.x / kWarp, warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (warps == 1) return x;
  if (lane == 0) of_warp[warp] = x;
  __syncthreads();
  if (warp == 0) x = join_warp<Op>(lane < warps ? of_warp[lane] : Op::identity());
  return x;
}

// Thread 0 draws the ticket. By an increment: additions the compiler would gather over the warp, which then waits for
// the answer before it goes on to load.
__device__ __forceinline__ uint32_t draw_ticket(const Meeting &meeting, int64_t result) {
  return threadIdx.x == 0 ? atomicInc(meeting.tickets + result, ~0u) : 0;
}

// Whether this block drew the last ticket (which thread 0 has); then the ticket is set back. A barrier of the block.
__device__ __forceinline__ bool is_last_block(const Meeting &meeting, int64_t result, int splits, uint32_t ticket) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    is_last = ticket == static_cast<uint32_t>(splits - 1);
    if (is_last) meeting.tickets[result] = 0;
  }
  __syncthreads();
  return is_last;
}

// Joins one partial of each block; own and ticket count in thread 0 only. True in the one block, and there in thread 0,
// that has the total. Little code on purpose: the last block runs it once, and has to fetch it first.
template <class First>
__device__ __forceinline__ bool join_grid(const Meeting &meeting, int64_t result, int split, int splits,
                                          uint32_t ticket, typename First::Partial own,
                                          typename First::Second::Partial *total) {
  constexpr int W = kWords<typename First::Partial>;
  uint64_t *slots = meeting.slots + result * splits * W;
  __shared__ typename First::Partial kept;  // own, for the thread whose turn it is
  if (threadIdx.x == 0) kept = own;
  if (!is_last_block(meeting, result, splits, ticket)) {
    if (threadIdx.x == 0) leave_partial(slots + split * W, own);
    return false;
  }
  *total = join_block<typename First::Second>(
      gather_partials<First, 2>(slots, W, static_cast<int>(threadIdx.x), splits, blockDim.x, split, kept));
  return threadIdx.x < kWarp;
}

// Two blocks a multiprocessor keep 64 KB under way; 8-bit types, DOT and products, which hold more in registers, have
// one.
constexpr int line_blocks(int dtype, int op) { return dtype_bytes(dtype) > 1 && op != kDot && op != kProduct ? 2 : 1; }

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kMaxLineThreads, line_blocks(kDtype, kOp))
    reduce_line_kernel(OpState state, LineWalk walk, Meeting meeting, ReduceOutput output) {
  using Op = OpOfChoice<kOp, kDtype>;
  using T = typename TypesOf<kDtype>::Stored;
  const Op op{state_of_choice<kOp>(state)};
  const int thread = static_cast<int>(threadIdx.x);
  const uint32_t unit = blockIdx.x;  // one split of one line
  uint32_t result = 0, split = unit, p = 0, i = 0;
  const T *x = static_cast<const T *>(walk.x.data), *y = static_cast<const T *>(walk.y.data);
  if (walk.has_many) {
    result = walk.splits.divide(unit, split);
    p = walk.per_matrix.divide(result, i);
    x += walk.x.offset(p, i, 0);
    if constexpr (Op::kReadsY) y += walk.y.offset(p, i, 0);
  }
  uint32_t ticket = 0;
  wait_for_stream();
  if (meeting.tickets != nullptr) {
    ticket = draw_ticket(meeting, result);
    if (thread == 0) fetch_slot(meeting.slots + unit * kWords<typename Op::Partial>);
  }

  constexpr bool kIsHeavy = Op::kReadsY || (kIsSmallInteger<T> && kOp != kSum && kOp < kSumOfSquares);  // on registers
  constexpr int kLoads = kIsHeavy ? kLineInFlight / 2 : kLineInFlight;
  // What a thread keeps of 16-bit and fp32 elements leaves registers for twice as many.
  constexpr bool kIsLight = is_common_float(kDtype) && (kOp == kSum || kOp == kExtreme || kOp == kArg);
  constexpr int kMostLoads = kIsLight ? 2 * kLoads : kLoads;
  if (walk.by_rows) {
    x += split * walk.x.row_step;
    if constexpr (Op::kReadsY) y += split * walk.y.row_step;
  }
  const int64_t first = walk.by_rows ? 0 : split * walk.range;
  typename Op::Partial partial =
      read_line<T, kLoads, kMostLoads>(op, x, y, walk.length, first, walk.range, first == 0, thread, kMaxLineThreads);
  partial = join_block<Op>(partial);
  if constexpr (kOp == kArg) {
    if (walk.by_rows && thread == 0) {  // another block may finish, which does not know this row
      partial = resolve<kVector<T>>(op, partial, x, walk.length);
      if (partial.index != INT64_MAX) partial.index += split * walk.length;
    }
  }
  const int64_t unresolved = walk.by_rows ? 0 : walk.length;

  using Second = typename Op::Second;
  const Second second{state};
  constexpr int N = kVector<T>;
  if (meeting.tickets != nullptr) {
    typename Second::Partial total;
    if (!join_grid<Op>(meeting, result, split, walk.split_count, ticket, partial, &total)) return;
    total = resolve_by_warp<N>(second, total, x, unresolved);
    if (thread == 0) write_result<T>(second, output, p, i, total);
  } else if (thread < kWarp) {
    partial = resolve_by_warp<N>(op, partial, x, unresolved);
    if (thread == 0) write_result<T>(second, output, p, i, static_cast<typename Second::Partial>(partial));
  }
}

}  // namespace gpuopt
