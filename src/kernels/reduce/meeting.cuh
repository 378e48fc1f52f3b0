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

// Thread 0 draws the ticket.
__device__ __forceinline__ uint32_t draw_ticket(const Meeting &meeting, int64_t result) {
  return threadIdx.x == 0 ? atomicAdd(meeting.tickets + result, 1u) : 0;
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

}  // namespace reduce
}  // namespace gpuopt

#endif
