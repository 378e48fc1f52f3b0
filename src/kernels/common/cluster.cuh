// Blocks of a cluster: which one this is, that all have come so far, and the others' shared memory. A launch without clusters,
// and code for devices without them, has clusters of one.
#pragma once

#include <cstdint>

namespace gpuopt {

__device__ __forceinline__ uint32_t cluster_index() {
  uint32_t index = blockIdx.x;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(index));
#endif
  return index;
}
__device__ __forceinline__ int block_of_cluster() {
  int rank = 0;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}

// Every thread arrives and then waits. What was stored before is seen behind it.
__device__ __forceinline__ void arrive_in_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
// The same where nothing was stored that others would read.
__device__ __forceinline__ void come_up_in_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// What stands at the same place of shared memory of another block, which must have come up.
template <class T>
__device__ __forceinline__ T *in_block_of_cluster(T *shared, int block) {
#if __CUDA_ARCH__ >= 900
  return static_cast<T *>(__cluster_map_shared_rank(shared, static_cast<unsigned>(block)));
#else
  return shared;
#endif
}

}  // namespace gpuopt
