// Main loops of the mma.sync kernels: tiles pass through shared memory, warps multiply. And where a block's tile lies.
#pragma once

#include "common/dependent_launch.cuh"
#include "gemm/mma/mma_copy.cuh"

namespace gpuopt {

// The ring of stages with cp.async: fragments one step ahead.
template <class Tile, class Warp>
__device__ __forceinline__ void mma_main_loop_async(const MmaGemm &gemm, Warp &warp, uint32_t base, int64_t p,
                                                    int32_t row, int32_t col, int32_t depth, int32_t count) {
  constexpr int kSlices = Tile::kSlices, kSteps = Tile::kSteps / kSlices, kStages = Tile::kStages;  // steps of a slice
  AsyncCopy<typename Warp::SharedA, Tile::kThreads, Tile::kParts> a(gemm.a, p, row, depth, gemm.m, gemm.k);
  AsyncCopy<typename Warp::SharedB, Tile::kThreads, Tile::kParts> b(gemm.b, p, col, depth, gemm.n, gemm.k);
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

  typename Warp::Fragments fragments[2];
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
        warp.multiply(fragments[now % 2], step);
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
      typename Warp::Fragments fragments;
      warp.load(fragments, stage, step);
      warp.multiply(fragments, step);
    }
    if (t + 1 < count) store((t + 1) % 2);
    __syncthreads();
  }
}

// Where a tile begins. Tiles go down stripes of 8 rows, so that blocks running together share columns of B.
struct MmaPlace {
  int32_t row, col;
};
template <class Tile>
__device__ __forceinline__ MmaPlace mma_place(const MmaGemm &gemm, uint32_t tile) {
  constexpr uint32_t kStripe = 8;
  uint32_t tile_m = tile, tile_n = 0;
  if (gemm.tiles_n > 1) {
    const uint32_t per_stripe = kStripe * static_cast<uint32_t>(gemm.tiles_n), stripe = tile / per_stripe;
    const uint32_t rows = min(static_cast<uint32_t>(gemm.tiles_m) - stripe * kStripe, kStripe);
    const uint32_t in_stripe = tile - stripe * per_stripe;
    tile_n = in_stripe / rows;
    tile_m = stripe * kStripe + in_stripe - tile_n * rows;
  }
  return {static_cast<int32_t>(tile_m * Tile::kM), static_cast<int32_t>(tile_n * Tile::kN)};
}

}  // namespace gpuopt
