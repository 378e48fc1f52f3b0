// The main loop of tiles whose sums move to fp32 after each stage: of fp8, where the tensor core's own keep 13 bits, and of fp32 in parts.
#pragma once

#include "gemm/wgmma/wgmma_ring.cuh"

namespace gpuopt {

// Sums that are added as they are.
struct WgmmaUnscaled {
  __device__ __forceinline__ void begin(int, bool) {}
  __device__ __forceinline__ float add(float sum, float x, int) const { return sum + x; }
};

// The same with each stage's sums added to those before in fp32, a part at a time, while another warpgroup multiplies. (Two
// parts in turn would keep one under way, but take more registers than ptxas deals with in a block of three warpgroups.) A part is
// one of kParts of a warpgroup's rows, of which kExist do. stage(part, i, from) asks for its products, scales add them.
template <class Tile, int kParts, int kExist, class Stage, class Scales = WgmmaUnscaled>
__device__ __forceinline__ void wgmma_promoting_loop(float (&sums)[Tile::kBlocks][Tile::kSums], WgmmaRing<Tile> &ring,
                                                     int32_t stages, uint32_t offset, Stage &&stage,
                                                     Scales scales = {}) {
  constexpr int kBlocks = Tile::kBlocks / kParts;
  // What stands between sums that are there and the next products adds to the time of a step. So what is as good while products are
  // under way comes then: the stage before is free then, too, where a step has more than one part or the ring is long (short
  // ones want it back sooner); whether the next one is there is asked, and the next one's addresses are found, but where
  // nothing else is added (found earlier, they made those kernels slower).
  constexpr bool kFreesLater = kParts > 1 || Tile::kStages > 5;
  constexpr bool kAhead = kParts > 1 || !std::is_same_v<Scales, WgmmaUnscaled>;
  float part[kBlocks][Tile::kSums];
#pragma unroll
  for (int i = 0; i < Tile::kBlocks; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kSums; ++j) sums[i][j] = 0;
  }
  WgmmaFrom ahead = {};
  if constexpr (kAhead) ahead = wgmma_from(ring, offset);
  int before = 0;
  bool there = false;
#pragma unroll 1
  for (int32_t left = stages; left > 0; --left) {  // down: a bound to compare with is loaded anew each time
    const WgmmaFrom from = kAhead ? ahead : wgmma_from(ring, offset);
    if (!there) ring.wait_full();
#pragma unroll
    for (int i = 0; i < kExist; ++i) {
      stage(part, i, from);
      scales.begin(i, left > 1);
      if (kFreesLater && i == 0 && left != stages) ring.free_stage(before);
      const int its = ring.index();
      const bool last = i + 1 == kExist;
      // Before the wait ptxas keeps the next stage's addresses out of what nothing hides. It takes registers that the kernels
      // whose rings are as long as a launch has room for do not have.
      if (last && Tile::kStages != 0) ring.advance();
      if (last && kAhead) {
        ahead = wgmma_from(ring, offset);
        there = ring.is_full();
      }
      wgmma_wait<0>();
      if (kFreesLater)
        before = its;
      else if (last)
        ring.free_stage(its);
      if (last && Tile::kStages == 0) ring.advance();
#pragma unroll
      for (int b = 0; b < kBlocks; ++b) {
        float(&sum)[Tile::kSums] = sums[i * kBlocks + b];
#pragma unroll
        for (int j = 0; j < Tile::kSums; ++j) sum[j] = scales.add(sum[j], part[b][j], j);
      }
    }
  }
  if (kFreesLater) ring.free_stage(before);
}

// A warpgroup's part of a tile, of which so many rows exist, 64 at a time. A branch in the loop would cost every tile a hundredth.
template <class Tile, bool kAlongA, bool kAlongB, class... Scales>
__device__ __forceinline__ void wgmma_promote(float (&sums)[Tile::kBlocks][Tile::kSums], WgmmaRing<Tile> &ring,
                                              int32_t stages, uint32_t offset, int32_t rows, Scales &&...scales) {
  const auto step = [&](auto &to, int i, WgmmaFrom from) {
    from.a += static_cast<uint32_t>(i) * (kWgmmaPanelBytes / 16);
    wgmma_stage<Tile, kAlongA, kAlongB, 1, Tile::kN>(to, from, false);
  };
  if (Tile::kBlocks > 1 && rows <= 64)
    wgmma_promoting_loop<Tile, Tile::kBlocks, 1>(sums, ring, stages, offset, step, scales...);
  else
    wgmma_promoting_loop<Tile, Tile::kBlocks, Tile::kBlocks>(sums, ring, stages, offset, step, scales...);
}

template <class Tile, class Stage>
__device__ __forceinline__ void wgmma_promote_whole(float (&sums)[Tile::kBlocks][Tile::kSums], WgmmaRing<Tile> &ring,
                                                    int32_t stages, Stage &&stage) {
  wgmma_promoting_loop<Tile, 1, 1>(sums, ring, stages, 0, stage);
}

}  // namespace gpuopt
