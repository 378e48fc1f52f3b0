// How the blocks of reduce_one_launch meet: see slots.cuh.
#pragma once

#include "reduce/common/join.cuh"
#include "reduce/common/slots.cuh"

namespace gpuopt {

// The partial in one slot, if there is one; own: at hand. All lanes of a warp wait together.
template <class First>
__device__ __forceinline__ typename First::Second::Partial gather_one(uint64_t *slot, bool exists, bool own,
                                                                      const typename First::Partial &own_partial) {
  constexpr int W = kWords<typename First::Partial>;
  const bool asked = exists && !own;
  uint64_t words[W];
  bool all;
  do {
    all = true;
#pragma unroll
    for (int w = 0; w < W; ++w) {
      words[w] = kWritten;
      if (asked) words[w] = SlotWord(slot[w]).load(cuda::memory_order_relaxed);
      all = all && words[w] != 0;
    }
  } while (!__all_sync(~0u, all));
  uint32_t bytes[W];
#pragma unroll
  for (int w = 0; w < W; ++w) {
    bytes[w] = static_cast<uint32_t>(words[w]);
    if (asked) slot[w] = 0;
  }
  typename First::Partial partial;
  memcpy(&partial, bytes, sizeof partial);
  if (own) partial = own_partial;
  using Total = typename First::Second::Partial;
  return exists ? static_cast<Total>(partial) : First::Second::identity();
}

// Joins the threads of a block and, where there are several, the blocks: partial of every thread, ticket of thread 0.
// True in the one thread that has the total. The ticket was drawn by draw_wrapping_ticket(); block b's slot is at
// slots[b * kWords]. A single barrier joins the block and says whether it is the last one; its warps then all join the
// block's partial, so that whichever thread it is the turn of has it at hand.
template <class First, int kThreads>
__device__ __forceinline__ bool join_all(uint64_t *slots, uint32_t ticket, typename First::Partial partial,
                                         typename First::Second::Partial *total) {
  using Second = typename First::Second;
  constexpr int W = kWords<typename First::Partial>, kWarps = kThreads / kWarp;
  __shared__ typename First::Partial of_warp[kWarps];
  __shared__ typename Second::Partial total_of_warp[kWarps];
  __shared__ uint32_t ticket_of_block;
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, splits = static_cast<int>(gridDim.x);
  partial = join_lanes_all<First>(partial, kWarp);
  if (lane == 0) of_warp[warp] = partial;
  if (threadIdx.x == 0) ticket_of_block = ticket;
  __syncthreads();
  const bool is_last = ticket_of_block == static_cast<uint32_t>(splits - 1);
  if (warp != 0 && (!is_last || splits <= kWarp)) return false;
  partial = join_lanes_all<First>(of_warp[lane % kWarps], kWarps);
  if (!is_last) {
    if (lane == 0) leave_partial(slots + blockIdx.x * W, partial);
    return false;
  }
  if (splits == 1) {
    *total = static_cast<typename Second::Partial>(partial);
    return lane == 0;
  }
  const int own = static_cast<int>(blockIdx.x);
  typename Second::Partial sum;
  if (splits <= kWarp) {
    sum = gather_one<First>(slots + lane * W, lane < splits, lane == own, partial);
    *total = join_lanes_all<Second>(sum, kWarp);
    return lane == 0;
  }
  sum = gather_partials<First, 2>(slots, W, static_cast<int>(threadIdx.x), splits, kThreads, own, partial);
  sum = join_lanes_all<Second>(sum, kWarp);
  if (lane == 0) total_of_warp[warp] = sum;
  __syncthreads();
  *total = join_lanes_all<Second>(total_of_warp[lane % kWarps], kWarps);
  return threadIdx.x == 0;
}

}  // namespace gpuopt
