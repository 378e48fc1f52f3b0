// Blocks of a cluster tell each other what they have of a row, by st.async: its arrival is counted in bytes, so nobody waits for a
// fence, which would be until all results so far have reached memory, or for a barrier of the cluster.
#pragma once

#include <cuda/ptx>

#include "norm/common/moments.cuh"

namespace gpuopt {

// Of this block, read where it is wanted: registers are short.
__device__ __forceinline__ int32_t rank_in_cluster() {
  int32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// By one thread of each block, before a meeting of so many blocks, and of so many bytes beside it. For this block alone: see above.
__device__ __forceinline__ void expect_blocks(uint64_t *arrived, int32_t blocks, int32_t beside = 0) {
  namespace ptx = cuda::ptx;
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, arrived,
                                 static_cast<uint32_t>(blocks * sizeof(Moments) + beside));
}
// Where something of this block's shared memory is in another one's.
__device__ __forceinline__ uint32_t address_in(int32_t block, const void *shared) {
  uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(address)
      : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(shared))), "r"(block));
  return address;
}

// By all threads that are to have the result, among which is one whole warp of each block that sends the block's m to all. of_block has
// a place for each block; arrived is in the phase of this meeting.
template <int kNorm, int kMostBlocks>
__device__ __forceinline__ Moments meet_blocks(const Moments &m, float n, uint64_t *arrived, Moments *of_block,
                                               uint32_t phase, bool sends) {
  namespace ptx = cuda::ptx;
  const auto lane = static_cast<int32_t>(threadIdx.x % 32);
  int32_t blocks;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  if (sends && lane < blocks) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                     address_in(lane, of_block + rank_in_cluster())),
                 "f"(m.count), "f"(m.mean), "f"(m.first), "f"(m.second), "r"(address_in(lane, arrived))
                 : "memory");
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, arrived, phase)) {
  }
  const int32_t of = lane % kMostBlocks;
  return join_lanes<kNorm, kMostBlocks>(of < blocks ? of_block[of] : no_moments<kNorm>(), n);
}

}  // namespace gpuopt
