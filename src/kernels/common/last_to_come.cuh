// Several blocks leave parts of a result in memory, and the last one to come joins them.
#pragma once

#include <cstdint>

namespace gpuopt {

// What this thread has seen is seen by who sees what it writes next. __threadfence() orders all threads' accesses in one sequence,
// too, which nothing here needs and every caller would wait for.
__device__ __forceinline__ void hand_over() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// By all threads of each of `blocks` blocks, of a ticket that is 0 before and after: true in the block that comes last, which then
// sees what all wrote before. One thread's fence is enough: what the others wrote is in front of the barrier. Parts are read from L2.
__device__ __forceinline__ bool is_last_to_come(uint32_t *ticket, uint32_t blocks) {
  __syncthreads();
  bool is_last = false;
  if (threadIdx.x == 0) {
    hand_over();
    is_last = atomicInc(ticket, blocks - 1) == blocks - 1;
    if (is_last) hand_over();
  }
  return __syncthreads_or(is_last) != 0;
}
// The same by a word of shared memory, for kernels that have no register left for the vote.
__device__ __forceinline__ bool is_last_to_come(uint32_t *ticket, uint32_t blocks, uint32_t *word) {
  __syncthreads();
  if (threadIdx.x == 0) {
    hand_over();
    *word = atomicInc(ticket, blocks - 1);
    hand_over();
  }
  __syncthreads();
  const bool is_last = *word == blocks - 1;
  __syncthreads();
  return is_last;
}

}  // namespace gpuopt
