// The main loop of tiles whose sums move to fp32 after each stage: of fp8, where the tensor core's own keep 13 bits, and of fp32 in parts.
#pragma once

#include "gemm/wgmma/wgmma_ring.cuh"

namespace gpuopt {

// Sums that are added as they are.
struct WgmmaUnscaled {
  __device__ __forceinline__ void begin() {}
  __device__ __forceinline__ void end(int32_t) {}
  __device__ __forceinline__ float add(float sum, float part, int, int) const { return sum + part; }
};

// The same with each stage's sums added to those before in fp32, kStep times 64 rows at a time, while the other warpgroup
// multiplies. (Two parts in turn would keep one under way, but take more registers than ptxas deals with in a block of three
// warpgroups.) stage(false, part, i) asks for the products of the rows from the i-th 64 on; scales (wgmma_scales.cuh) add them.
template <class Tile, int kStep = Tile::kBlocks, class Stage, class Scales = WgmmaUnscaled>
__device__ __forceinline__ void wgmma_promoting_loop(float (&sums)[Tile::kBlocks][Tile::kSums], WgmmaRing<Tile> &ring,
                                                     int32_t stages, Stage &&stage, Scales &&scales = Scales()) {
  float part[kStep][Tile::kSums];
#pragma unroll
  for (int i = 0; i < Tile::kBlocks; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kSums; ++j) sums[i][j] = 0;
  }
#pragma unroll 1
  for (int32_t t = 0; t < stages; ++t) {
    ring.wait_full();
#pragma unroll
    for (int i = 0; i < Tile::kBlocks; i += kStep) {
      stage(false, part, i);
      if (i == 0) scales.begin();
      const int its = ring.index();
      const bool last = i + kStep == Tile::kBlocks;
      // Before the wait ptxas keeps the next stage's addresses out of what nothing hides. It takes registers that the kernels
      // whose rings are as long as a launch has room for do not have.
      if (last && Tile::kStages != 0) ring.advance();
      wgmma_wait<0>();
      if (last) ring.free_stage(its);
      if (last && Tile::kStages == 0) ring.advance();
#pragma unroll
      for (int b = 0; b < kStep; ++b) {
#pragma unroll
        for (int j = 0; j < Tile::kSums; ++j) sums[i + b][j] = scales.add(sums[i + b][j], part[b][j], i + b, j / 2 % 2);
      }
    }
    scales.end(t);
  }
}

// A warpgroup's part of a tile, 64 rows at a time: with more than one such loop, ptxas runs out of registers.
template <class Tile, bool kAlongA, bool kAlongB, class... Scales>
__device__ __forceinline__ void wgmma_promote(float (&sums)[Tile::kBlocks][Tile::kSums], WgmmaRing<Tile> &ring,
                                              int32_t stages, uint32_t offset, Scales &&...scales) {
  const auto step = [&](bool, auto &to, int i) {
    wgmma_stage<Tile, kAlongA, kAlongB, 1, Tile::kN>(to, ring.stage(),
                                                     offset + static_cast<uint32_t>(i) * kWgmmaPanelBytes, false);
  };
  wgmma_promoting_loop<Tile, 1>(sums, ring, stages, step, scales...);
}

template <class Tile, class Stage>
__device__ __forceinline__ void wgmma_promote_whole(float (&sums)[Tile::kBlocks][Tile::kSums], WgmmaRing<Tile> &ring,
                                                    int32_t stages, Stage &&stage) {
  wgmma_promoting_loop<Tile>(sums, ring, stages, stage);
}

}  // namespace gpuopt
