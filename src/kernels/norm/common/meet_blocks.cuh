// Blocks of a cluster tell each other what they have of a row, by st.async: its arrival is counted in bytes, so nobody waits for a
// fence, which would be until all results so far have reached memory, or for a barrier of the cluster.
#pragma once

#include <cuda/ptx>

#include "norm/common/moments.cuh"

namespace gpuopt {

// By one thread of each block, before a meeting of so many blocks. For this block alone: see above.
__device__ __forceinline__ void expect_blocks(uint64_t *arrived, int32_t blocks) {
  namespace ptx = cuda::ptx;
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, arrived,
                                 static_cast<uint32_t>(blocks * sizeof(Moments)));
}

// By all threads that are to have the result, among which is one whole warp of each block that sends the block's m to all. of_block has
// a place for each block; arrived is in the phase of this meeting.
template <int kNorm, int kMostBlocks>
__device__ __forceinline__ Moments meet_blocks(const Moments &m, float n, uint64_t *arrived, Moments *of_block,
                                               uint32_t phase, bool sends) {
  namespace ptx = cuda::ptx;
  const auto lane = static_cast<int32_t>(threadIdx.x % 32);
  int32_t block, blocks;  // not kept in registers until here
  asm volatile("mov.u32 %0, %%cluster_ctarank;\n\tmov.u32 %1, %%cluster_nctarank;" : "=r"(block), "=r"(blocks));
  if (sends && lane < blocks) {
    const auto address_in = [&](const void *shared) {
      uint32_t address;
      asm("mapa.shared::cluster.u32 %0, %1, %2;"
          : "=r"(address)
          : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(shared))), "r"(lane));
      return address;
    };
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                     address_in(of_block + block)),
                 "f"(m.count), "f"(m.mean), "f"(m.first), "f"(m.second), "r"(address_in(arrived))
                 : "memory");
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, arrived, phase)) {
  }
  const int32_t of = lane % kMostBlocks;
  return join_lanes<kNorm, kMostBlocks>(of < blocks ? of_block[of] : no_moments<kNorm>(), n);
}

}  // namespace gpuopt
