// Blocks of a cluster: which one this is, that all have come up, and what they send each other. A launch without clusters, and
// code for devices without them, has clusters of one.
#pragma once

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#include <cuda/ptx>
#endif

#include <cstdint>
#include <cstring>

namespace gpuopt {

__device__ __forceinline__ uint32_t cluster_index() {
  uint32_t index = blockIdx.x;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(index));
#endif
  return index;
}
__device__ __forceinline__ int block_of_cluster() {
  int block = 0;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(block));
#endif
  return block;
}

// What the others send this block: its arrival is counted in bytes, so nobody waits for a fence, which would be until all that
// was stored has reached memory. For one meeting.
struct ClusterInbox {
  uint64_t arrived;

  // By all threads, early; bytes that will come, its own among them.
  __device__ __forceinline__ void open(uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    namespace ptx = cuda::ptx;
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(&arrived, 1);
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, bytes);
    }
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
#endif
  }
  // By all threads, before the first send.
  __device__ __forceinline__ void wait_for_others() {
#if __CUDA_ARCH__ >= 900
    cuda::ptx::barrier_cluster_wait(cuda::ptx::sem_acquire);
#endif
  }
  // To where `to` is in another block's shared memory.
  template <class T>
  __device__ __forceinline__ void send(T *to, int block, const T &value) {
#if __CUDA_ARCH__ >= 900
    const auto address_in = [&](const void *shared) {
      uint32_t address;
      asm("mapa.shared::cluster.u32 %0, %1, %2;"
          : "=r"(address)
          : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(shared))), "r"(block));
      return address;
    };
    uint32_t words[sizeof(T) / 4];
    memcpy(words, &value, sizeof value);
    const uint32_t place = address_in(to), counter = address_in(&arrived);
#pragma unroll
    for (uint32_t w = 0; w < sizeof(T) / 4; ++w)
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(place + 4 * w),
                   "r"(words[w]), "r"(counter)
                   : "memory");
#endif
  }
  // By every thread that reads what came.
  __device__ __forceinline__ void wait() {
#if __CUDA_ARCH__ >= 900
    namespace ptx = cuda::ptx;
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &arrived, 0)) {
    }
#endif
  }
};

}  // namespace gpuopt
