// The kernels of norm_split_row: a cluster of blocks holds a row as a block does (rows.cuh).
#pragma once

#include "norm/common/meet_blocks.cuh"
#include "norm/registers/rows.cuh"
#include "norm/registers/split_row.h"

namespace gpuopt {

// Threads of all blocks of a cluster, of at most kWarps warps each; one join, of all of them. The blocks know that all of them
// are there before the first sends, which it finds out beside its loads.
template <int kWarps>
struct ClusterGroup {
  Moments *of_warp, *of_block;
  uint64_t *met;
  int32_t blocks;

  __device__ __forceinline__ ClusterGroup(Moments (&warps)[kWarps], Moments (&others)[kMostSplitBlocks],
                                          uint64_t &arrived)
      : of_warp(warps), of_block(others), met(&arrived) {
    namespace ptx = cuda::ptx;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    if (blocks == 1) return;
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(met, 1);
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
      expect_blocks(met, blocks);
    }
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
  }
  __device__ __forceinline__ int rank() const {
    return rank_in_cluster() * static_cast<int32_t>(blockDim.x) + static_cast<int32_t>(threadIdx.x);
  }
  __device__ __forceinline__ int size() const { return blocks * static_cast<int32_t>(blockDim.x); }
  template <int kNorm, bool kSame>
  __device__ __forceinline__ Moments join(const Moments &m, float n) const {
    constexpr bool kCounts = kNorm == GPUOPT_NORM_LAYERNORM;
    const Moments warp = join_lanes<kNorm, 32>(m, kCounts ? count_of_warp(m.count) : n);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = warp;
    __syncthreads();
    const unsigned slot = threadIdx.x % kWarps;
    const Moments mine = slot < blockDim.x / 32 ? of_warp[slot] : no_moments<kNorm>();
    float count = n;
    if (kCounts && blocks > 1) count = count_of_warp(threadIdx.x % 32 < kWarps ? mine.count : 0.0f);
    const Moments block = join_lanes<kNorm, kWarps>(mine, count);
    if (blocks == 1) return block;
    cuda::ptx::barrier_cluster_wait(cuda::ptx::sem_acquire);
    return meet_blocks<kNorm, kMostSplitBlocks>(block, n, met, of_block, 0, threadIdx.x < 32);
  }
};

template <int kWarps>
constexpr bool kTakesAll<ClusterGroup<kWarps>> = true;

template <class T, bool kAny, int K>
__device__ __forceinline__ void apply_chain(const RowChain &chain, const RowWork<T> &work, int32_t p, int32_t i,
                                            int32_t at, float (&h)[K]) {
  if (chain.linear)
    apply_chain<T, kAny>(chain.chain, work, p, i, at, h);
  else
    apply_chain<T, kAny>(Interpreted{}, work, p, i, at, h);
}

template <class T, int kNorm, int V, bool kAdds, bool kAny, int kWarps, class Chain>
__device__ __forceinline__ void norm_cluster_group_row(const RowWork<T> &work, const Chain &chain) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  __shared__ Moments of_warp[kWarps], of_block[kMostSplitBlocks];
  __shared__ uint64_t met;
  ClusterGroup<kWarps> group(of_warp, of_block, met);
  int32_t row;
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(row));
  norm_group_row<T, kNorm, V, kAdds, kAny>(work, chain, group, row);
#endif
}

template <class T, int kNorm, bool kAny, class Chain>
__global__ void __launch_bounds__(kSplitThreads, 1)
    norm_split_row_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ Chain chain) {
  norm_cluster_group_row<T, kNorm, kSplitVectors, true, kAny, kSplitThreads / 32>(work, chain);
}

template <class T, int kNorm>
__global__ void __launch_bounds__(split_many_threads(sizeof(T) == 4), 2)
    norm_split_softmax_kernel(const __grid_constant__ RowWork<T> work) {
  norm_cluster_group_row<T, kNorm, split_many_vectors(sizeof(T) == 4), false, true, 16>(work, NoChain{});
}

}  // namespace gpuopt
