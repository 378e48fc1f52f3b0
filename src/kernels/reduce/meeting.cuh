// How the blocks that share one result meet within a launch, in zeroed memory that is left zero.
//
// A block draws a ticket when it starts, while its first loads are under way. When it is done it leaves its partial in
// a slot of its own. The block that drew the last ticket (all others have started then, so waiting for them is safe
// whatever the order in which blocks are scheduled) waits for all slots, combines them in the order of their numbers,
// and sets them back to zero: which block does it varies, the bits do not.
//
// A slot is written in 8-byte words of 4 bytes of partial and a flag. An aligned 8-byte access is single, so a flag
// that is seen vouches for the bytes beside it, and no fence or second round trip is needed.
#ifndef GPUOPT_KERNELS_REDUCE_MEETING_CUH
#define GPUOPT_KERNELS_REDUCE_MEETING_CUH

#include <cuda/atomic>

#include "join.cuh"

namespace gpuopt {
namespace reduce {

struct Meeting {
  uint32_t *tickets;  // one a result
  uint64_t *slots;
};

template <class Partial>
constexpr int kWords = static_cast<int>(sizeof(Partial) / 4);  // of a slot

using Word = cuda::atomic_ref<uint64_t, cuda::thread_scope_device>;
constexpr uint64_t kWritten = uint64_t{1} << 32;

template <class Partial>
__device__ __forceinline__ void leave_partial(uint64_t *slot, const Partial &partial) {
  uint32_t bytes[kWords<Partial>];
  memcpy(bytes, &partial, sizeof partial);
#pragma unroll
  for (int w = 0; w < kWords<Partial>; ++w) Word(slot[w]).store(kWritten | bytes[w], cuda::memory_order_relaxed);
}

// Thread 0 draws the ticket. By an increment: additions the compiler would gather over the warp, which then waits for
// the answer before it goes on to load.
__device__ __forceinline__ uint32_t draw_ticket(const Meeting &meeting, int64_t result) {
  return threadIdx.x == 0 ? atomicInc(meeting.tickets + result, ~0u) : 0;
}

// A slot that other work has driven out of the L2 cache would have to come from memory when it is asked for at the
// very end; asked for when the block starts, it comes while the block reads.
__device__ __forceinline__ void fetch_slot(const uint64_t *slot) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(slot));
}

// Combines the partials of splits first, first + by, ... below splits, in that order; slot s is at slots + s * step.
// That of split `own` is at hand. kAtOnce slots are asked for together, since each answer takes a trip to the L2 cache.
template <class First, int kAtOnce>
__device__ __forceinline__ typename First::Second::Partial gather_partials(uint64_t *slots, int step, int first,
                                                                           int splits, int by, int own,
                                                                           const typename First::Partial &own_partial) {
  using Op = typename First::Second;
  using Partial = typename First::Partial;
  constexpr int W = kWords<Partial>, kBatch = kAtOnce > W ? kAtOnce / W : 1;
  uint32_t own_bytes[W];
  memcpy(own_bytes, &own_partial, sizeof own_partial);
  typename Op::Partial sum = Op::identity();
#pragma unroll 1
  for (int base = first; base < splits; base += kBatch * by) {
    uint64_t words[kBatch][W];
    bool all;
    do {
      all = true;
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        const int s = base + b * by;
        const bool asked = s < splits && s != own;
#pragma unroll
        for (int w = 0; w < W; ++w) {
          words[b][w] = kWritten | own_bytes[w];
          if (asked) words[b][w] = Word(slots[s * step + w]).load(cuda::memory_order_relaxed);
          all = all && words[b][w] != 0;
        }
      }
    } while (!all);
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      const int s = base + b * by;
      uint32_t bytes[W];
#pragma unroll
      for (int w = 0; w < W; ++w) {
        bytes[w] = static_cast<uint32_t>(words[b][w]);
        if (s < splits && s != own) slots[s * step + w] = 0;
      }
      Partial partial;
      memcpy(&partial, bytes, sizeof partial);
      sum = Op::combine(sum, s < splits ? static_cast<typename Op::Partial>(partial) : Op::identity());
    }
  }
  return sum;
}

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
      if (asked) words[w] = Word(slot[w]).load(cuda::memory_order_relaxed);
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
  return threadIdx.x == 0;
}

// The ticket of one of `blocks` blocks that share a single result; one thread draws it. The last one drawn leaves zero.
__device__ __forceinline__ uint32_t draw_wrapping_ticket(uint32_t *ticket, uint32_t blocks) {
  return atomicInc(ticket, blocks - 1);
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

}  // namespace reduce
}  // namespace gpuopt

#endif
