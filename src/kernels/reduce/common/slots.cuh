// How the blocks that share one result meet within a launch, in zeroed memory that is left zero.
//
// A block draws a ticket when it starts, while its first loads are under way. When it is done it leaves its partial in
// a slot of its own. The block that drew the last ticket (all others have started then, so waiting for them is safe
// whatever the order in which blocks are scheduled) waits for all slots, combines them in the order of their numbers,
// and sets them back to zero: which block does it varies, the bits do not.
//
// A slot is written in 8-byte words of 4 bytes of partial and a flag. An aligned 8-byte access is single, so a flag
// that is seen vouches for the bytes beside it, and no fence or second round trip is needed.
#pragma once

#include <cuda/atomic>

#include "reduce/common/meeting.h"
#include "reduce/common/ops.cuh"

namespace gpuopt {

template <class Partial>
constexpr int kWords = static_cast<int>(sizeof(Partial) / 4);  // of a slot

using SlotWord = cuda::atomic_ref<uint64_t, cuda::thread_scope_device>;
constexpr uint64_t kWritten = uint64_t{1} << 32;

template <class Partial>
__device__ __forceinline__ void leave_partial(uint64_t *slot, const Partial &partial) {
  uint32_t bytes[kWords<Partial>];
  memcpy(bytes, &partial, sizeof partial);
#pragma unroll
  for (int w = 0; w < kWords<Partial>; ++w) SlotWord(slot[w]).store(kWritten | bytes[w], cuda::memory_order_relaxed);
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
          if (asked) words[b][w] = SlotWord(slots[s * step + w]).load(cuda::memory_order_relaxed);
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

// The ticket of one of `blocks` blocks that share a result; one thread draws it. The last one drawn leaves zero.
__device__ __forceinline__ uint32_t draw_wrapping_ticket(uint32_t *ticket, uint32_t blocks) {
  return atomicInc(ticket, blocks - 1);
}

}  // namespace gpuopt
