// Adding up the parts of k that the blocks of a cluster hold (sm_90 and newer).
//
// Each block sends every other its part of the tile's sums with asynchronous stores into that block's shared memory,
// which count down a barrier there; a block waits for its own part from all, and for nothing else. No block can be
// written to after it has left, for it leaves only when everything has arrived; and no fence over global memory is
// paid.
#pragma once

#include <cstdint>
#include <cstring>

namespace gpuopt {

// One thread: a barrier that opens once, when so many bytes have arrived. Then every thread: arrive.
__device__ __forceinline__ void cluster_open_inbox(uint32_t barrier, uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
#endif
}
// All blocks of the cluster have opened their inboxes once all have arrived.
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
#endif
}
// The same place in the shared memory of block rank.
__device__ __forceinline__ uint32_t cluster_address(uint32_t address, uint32_t rank) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));
#endif
  return address;
}
// Four words to a cluster_address(), and their bytes to the barrier of that block.
template <class Word>
__device__ __forceinline__ void cluster_send(uint32_t to, uint32_t barrier, const Word (&word)[4]) {
#if __CUDA_ARCH__ >= 900
  uint32_t w[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) memcpy(&w[i], &word[i], 4);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%2, %3, %4, %5}, [%1];" ::"r"(to),
               "r"(barrier), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
               : "memory");
#endif
}
__device__ __forceinline__ void cluster_wait_inbox(uint32_t barrier) {
#if __CUDA_ARCH__ >= 900
  uint32_t open = 0;
  while (open == 0) {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, "
        "p;\n}"
        : "=r"(open)
        : "r"(barrier)
        : "memory");
  }
#endif
}

// Integer sums wrap.
__device__ __forceinline__ float add_sums(float x, float y) { return x + y; }
__device__ __forceinline__ int32_t add_sums(int32_t x, int32_t y) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) + static_cast<uint32_t>(y));
}
template <class Run>
__device__ __forceinline__ void add_run(Run &x, Run y) {
#pragma unroll
  for (int e = 0; e < 4; ++e) x.v[e] = add_sums(x.v[e], y.v[e]);
}

}  // namespace gpuopt
