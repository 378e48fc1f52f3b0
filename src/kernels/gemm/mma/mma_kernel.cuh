// The kernel behind every gemm_mma_*: mma.sync on tiles that pass through shared memory.
//
// Idea and data movement. A block computes kM x kN sums. Tiles of A and B, kKBytes bytes of k deep, stream through a
// ring of kStages in shared memory (mma_copy.cuh), kStages - 1 of them in flight while one is used. Each warp keeps its
// part of the sums in registers and loads its fragments one step ahead of the products. In the end neighbouring lanes
// trade sums, so that each holds runs of four neighbours of a row, and these go to memory. Where a tile's k is split
// over the blocks of a cluster, the runs go to each other first (mma_cluster.cuh) and are added in the order of the
// parts.
// From sm_90 on it may be launched before its predecessor has finished (common/dependent_launch.cuh).
#pragma once

#include "gemm/mma/mma_loop.cuh"
#include "gemm/mma/mma_small_tile_store.cuh"
#include "gemm/mma/mma_tile_store.cuh"

namespace gpuopt {

template <class Tile, bool kAlongA, bool kAlongB>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks) gemm_mma_kernel(const __grid_constant__ MmaGemm gemm) {
#ifdef __CUDA_ARCH__
  if constexpr (__CUDA_ARCH__ >= Tile::kLeastArch) {  // elsewhere the host takes another
    extern __shared__ __align__(1024) unsigned char mma_shared[];
    const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(mma_shared));
    constexpr bool kClusters = Tile::kClusters && __CUDA_ARCH__ >= 900;
    allow_successor();
    if (kClusters && gemm.cluster != 0) {
      if (threadIdx.x == 0) cluster_open_inbox(base + Tile::kBarrier, Tile::kM * Tile::kN * 4);
      __syncwarp();
      cluster_arrive();
    }

    // Parts of a tile are neighbours.
    const uint32_t splits = static_cast<uint32_t>(gemm.splits);
    uint32_t tile = blockIdx.x, part = 0;
    if (splits > 1) {
      tile = blockIdx.x / splits;
      part = blockIdx.x - tile * splits;
    }
    const MmaPlace place = mma_place<Tile>(gemm, tile);
    const int32_t row = place.row, col = place.col;
    const uint32_t depths = (static_cast<uint32_t>(gemm.k) + Tile::kDepth - 1) / Tile::kDepth;
    uint32_t first = 0, end = depths;
    if (splits > 1) first = depths * part / splits, end = depths * (part + 1) / splits;
    const int32_t depth = static_cast<int32_t>(first) * Tile::kDepth, count = static_cast<int32_t>(end - first);

    for (int32_t p = static_cast<int32_t>(blockIdx.z); p < gemm.batch; p += static_cast<int32_t>(gridDim.z)) {
      using Warp = MmaWarp<Tile, kAlongA, kAlongB>;
      Warp warp(threadIdx.x % 32, threadIdx.x % Tile::kSliceThreads / 32, threadIdx.x / Tile::kSliceThreads);
      if (p >= static_cast<int32_t>(gridDim.z)) __syncthreads();  // the last matrix's sums have been read
      const MmaStore::Origin origin = gemm.store.origin(p, part, row, col, gemm.m, gemm.n);
      if constexpr (Tile::kStaged)
        mma_main_loop_staged<Tile>(gemm, warp, mma_shared, base, p, row, col, depth, count);
      else
        mma_main_loop_async<Tile>(gemm, warp, base, p, row, col, depth, count);
      if constexpr (Tile::kClusters)
        mma_store_small_tile<Tile>(gemm, warp, mma_shared, base, origin, static_cast<int32_t>(part),
                                   kClusters ? gemm.cluster : 0);
      else {
        __syncthreads();  // the stages are free
        mma_store_tile<Tile>(gemm, warp, mma_shared, origin);
      }
    }
  }
#endif
}

}  // namespace gpuopt
