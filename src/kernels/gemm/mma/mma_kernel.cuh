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

#include "common/dependent_launch.cuh"
#include "gemm/mma/mma_copy.cuh"
#include "gemm/mma/mma_small_tile_store.cuh"
#include "gemm/mma/mma_tile_store.cuh"

namespace gpuopt {

// The ring of stages with cp.async: fragments one step ahead.
template <class Tile, class Warp>
__device__ __forceinline__ void mma_main_loop_async(const MmaGemm &gemm, Warp &warp, uint32_t base, int64_t p,
                                                    int32_t row, int32_t col, int32_t depth, int32_t count) {
  constexpr int kSlices = Tile::kSlices, kSteps = Tile::kSteps / kSlices, kStages = Tile::kStages;  // steps of a slice
  AsyncCopy<typename Warp::SharedA, Tile::kThreads> a(gemm.a, p, row, depth, gemm.m, gemm.k);
  AsyncCopy<typename Warp::SharedB, Tile::kThreads> b(gemm.b, p, col, depth, gemm.n, gemm.k);
  const auto copy = [&](int stage) {
    const uint32_t to = base + static_cast<uint32_t>(stage * Tile::kStageBytes);
    a.copy(to, gemm.a.pitch);
    b.copy(to + Warp::SharedA::kBytes, gemm.b.pitch);
  };
  wait_for_predecessors();
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < count) copy(s);
    __pipeline_commit();
  }
  __pipeline_wait_prior(kStages - 2);
  __syncthreads();

  MmaFragments<Tile> fragments[2];
  warp.load(fragments[0], base, 0);
  int read = 0, write = kStages - 1;
  // Two tiles a turn where a tile has an odd number of steps, so that fragments alternate by compile-time indices.
  constexpr int kTurn = kSteps % 2 == 0 ? 1 : 2;
  for (int32_t t = 0; t < count; t += kTurn) {
#pragma unroll
    for (int turn = 0; turn < kTurn; ++turn) {
      if (turn > 0 && t + turn >= count) break;
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        const int now = turn * kSteps + step;
        if (step < kSteps - 1)
          warp.load(fragments[(now + 1) % 2], base + static_cast<uint32_t>(read * Tile::kStageBytes),
                    (step + 1) * kSlices);
        if (step == 0) {
          if (t + turn + kStages - 1 < count) copy(write);
          __pipeline_commit();
          write = write + 1 == kStages ? 0 : write + 1;
        }
        if (step == kSteps - 1 && t + turn + 1 < count) {
          __pipeline_wait_prior(kStages - 2);
          __syncthreads();
          read = read + 1 == kStages ? 0 : read + 1;
          warp.load(fragments[(now + 1) % 2], base + static_cast<uint32_t>(read * Tile::kStageBytes), 0);
        }
        warp.multiply(fragments[now % 2], step == 0, step == kSteps - 1);
      }
    }
  }
  __pipeline_wait_prior(0);
}

// Two stages, filled through registers: the next tile is on its way from memory while this one is used.
template <class Tile, class Warp>
__device__ __forceinline__ void mma_main_loop_staged(const MmaGemm &gemm, Warp &warp, unsigned char *shared,
                                                     uint32_t base, int64_t p, int32_t row, int32_t col, int32_t depth,
                                                     int32_t count) {
  constexpr int kSteps = Tile::kSteps;
  StagedCopy<typename Warp::SharedA, Tile::kThreads> a(gemm.a, p, row, depth, gemm.m, gemm.k);
  StagedCopy<typename Warp::SharedB, Tile::kThreads> b(gemm.b, p, col, depth, gemm.n, gemm.k);
  const auto store = [&](int stage) {
    a.store(shared + stage * Tile::kStageBytes);
    b.store(shared + stage * Tile::kStageBytes + Warp::SharedA::kBytes);
  };
  wait_for_predecessors();
  if (count == 0) return;
  a.fetch(gemm.a.pitch);
  b.fetch(gemm.b.pitch);
  store(0);
  __syncthreads();
  for (int32_t t = 0; t < count; ++t) {
    if (t + 1 < count) {
      a.fetch(gemm.a.pitch);
      b.fetch(gemm.b.pitch);
    }
    const uint32_t stage = base + static_cast<uint32_t>(t % 2 * Tile::kStageBytes);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      MmaFragments<Tile> fragments;
      warp.load(fragments, stage, step);
      warp.multiply(fragments, step == 0, step == kSteps - 1);
    }
    if (t + 1 < count) store((t + 1) % 2);
    __syncthreads();
  }
}

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

    // Parts of a tile are neighbours; tiles go down stripes of 8 rows, so that blocks running together share columns of
    // B.
    const uint32_t splits = static_cast<uint32_t>(gemm.splits);
    uint32_t tile = blockIdx.x, part = 0;
    if (splits > 1) {
      tile = blockIdx.x / splits;
      part = blockIdx.x - tile * splits;
    }
    constexpr uint32_t kStripe = 8;
    uint32_t tile_m = tile, tile_n = 0;
    if (gemm.tiles_n > 1) {
      const uint32_t per_stripe = kStripe * static_cast<uint32_t>(gemm.tiles_n), stripe = tile / per_stripe;
      const uint32_t rows = min(static_cast<uint32_t>(gemm.tiles_m) - stripe * kStripe, kStripe);
      const uint32_t in_stripe = tile - stripe * per_stripe;
      tile_n = in_stripe / rows;
      tile_m = stripe * kStripe + in_stripe - tile_n * rows;
    }
    const int32_t row = static_cast<int32_t>(tile_m * Tile::kM), col = static_cast<int32_t>(tile_n * Tile::kN);
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
