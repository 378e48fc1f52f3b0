// The tiles of wgmma kernels for few rows or columns: what lies where in shared memory, and whose sums are whose.
#pragma once

#include "gemm/wgmma/wgmma_ring.cuh"
#include "gemm/wgmma/wgmma_skinny_split.h"

namespace gpuopt {

// A block's M lines of the many by N of the few. kAlongFew: they lie along k; else panels of 64 of them come, however few
// exist. The other names are what WgmmaRing and the main loops of wgmma_ring.cuh go by.
template <class Many, class Few, int M, int N, bool AlongFew, bool Promotes>
struct WgmmaSkinnyTile {
  using A = Many;
  using B = Few;
  using Sum = WgmmaSum<A>;
  static constexpr int kM = M, kN = N, kDepth = 128 / sizeof(A), kBlocks = M / 64, kSums = N / 2;
  static constexpr bool kAlongFew = AlongFew, kPromotes = Promotes;
  static constexpr bool kPingPong = true;  // a stage has one reader
  static constexpr int kSharers = 1;
  static constexpr bool kChains = false, kMatrices = false, kFull = false, kSplit = false, kFolds = false,
                        kEdges = false, kNarrows = false, kPlainEnds = false, kExact = std::is_same_v<Sum, int32_t>;
  static constexpr int kFewLines = AlongFew ? N : (N + 63) / 64 * 64;
  static constexpr int kMathThreads = 128, kThreads = kMathThreads + 32;  // a warp copies
  static constexpr int kQuads = kBlocks * kSums / 4;                      // fours of sums of a thread
  static constexpr int kStageBytes = (M + kFewLines) * 128, kInboxBytes = M * N * 4;
  static constexpr int kShared = kWgmmaSkinnyShared;
  static constexpr int kStages = 0;  // what a launch has room for
  static_assert(kStageBytes % 1024 == 0 && kInboxBytes % 1024 == 0, "the swizzle's period");
};

template <class Tile>
__device__ __forceinline__ void wgmma_skinny_quad(const typename Tile::Sum (&sums)[Tile::kBlocks][Tile::kSums],
                                                  int quad, typename Tile::Sum (&x)[4]) {
  constexpr int kInBlock = Tile::kSums / 4;
#pragma unroll
  for (int e = 0; e < 4; ++e) x[e] = sums[quad / kInBlock][quad % kInBlock * 4 + e];
}

}  // namespace gpuopt
