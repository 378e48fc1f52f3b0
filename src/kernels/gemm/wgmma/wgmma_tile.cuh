// Who computes what in the wgmma kernels, and where it lies in shared memory.
#pragma once

#include "common/index.cuh"
#include "gemm/wgmma/wgmma_ring.cuh"
#include "gemm/wgmma/wgmma_work.h"

namespace gpuopt {

// A block's tile of M x N results, and its ring of stages of 128 bytes of k. Two warpgroups multiply: kPingPong, each a tile
// of its own, whose end the other one's products hide; else the upper and lower half of one. kPromotes: the tensor core's
// sums, which are cut off (to 13 bits of fraction where operands are fp8, to fp32's of others), move to fp32 after each stage.
template <class TypeA, class TypeB, int M, int N, int Stages, bool PingPong, bool Promotes = false, bool Scales = false,
          int Groups = 2>
struct WgmmaTile {
  using A = TypeA;
  using B = TypeB;
  using Sum = WgmmaSum<A>;
  static constexpr int kM = M, kN = N, kDepth = 128 / sizeof(A), kStages = Stages;
  static constexpr bool kPingPong = PingPong, kPromotes = Promotes;
  static constexpr bool kScales = Scales;  // of blocks (wgmma_scales.cuh)
  static constexpr bool kSplit = cuda::std::is_same_v<A, WgmmaParts>;
  static constexpr bool kChains = PingPong && sizeof(A) == 2;  // hidden where warpgroups take turns (wgmma_chain.cuh)
  static constexpr int kGroups = Groups, kSharers = PingPong ? 1 : Groups;    // warpgroups; those of a stage
  static constexpr int kGroupRows = M / kSharers, kBlocks = kGroupRows / 64;  // a warpgroup's, in wgmmas of 64
  static constexpr int kSums = N / 2;                                         // of a thread and block
  static constexpr bool kFull = kBlocks * kSums > 128;  // of sums: no room for what is known of edges
  static constexpr bool kMatrices = kChains && !kFull;  // in chains
  static constexpr bool kFolds = !kFull && !cuda::std::is_same_v<Sum, int32_t>;     // a matrix (wgmma_fold.cuh)
  static constexpr int kChunk = kFull ? 16 : 32;                                    // of them that end together
  static constexpr int kMathThreads = Groups * 128, kThreads = kMathThreads + 128;  // a warpgroup copies
  // Of 65536.
  static constexpr bool kMost = (N > 128 && PingPong) || (Promotes && sizeof(A) == 1 && kBlocks * kSums > 64);
  static constexpr int kMathRegisters = Groups == 3 ? 160 : kMost ? 240 : 232;
  static constexpr int kCopyRegisters = Groups == 3 || kMost ? 24 : 40;
  static constexpr int kStageBytes = (M + N) * 128;
  static constexpr int kPanelBytes = 64 * 128, kPanels = 2;  // of a warpgroup, results on their way out
  static constexpr int kBarriers = kStageBytes * Stages + Groups * kPanels * kPanelBytes;
  static constexpr int kLines = kBarriers + 16 * Stages;  // of chains, a scale and a shift for each column
  // The swizzle wants 1024 bytes of alignment.
  static constexpr int kShared = 1024 + kLines + (kChains ? 2 * N * static_cast<int>(sizeof(float2)) : 0);
  static constexpr int kStripe = 8;  // rows of tiles that go down together
  static constexpr int kNarrow = kWgmmaNarrow;
  static_assert(kBlocks * kSums + (Promotes ? kSums : 0) <= 192, "sums of a thread");
  static_assert(kGroupRows % 64 == 0 && (!PingPong || Groups == 2), "whole wgmmas, turns of two");
  static_assert(kShared <= 227 * 1024, "what a block may have on sm_90");
};

// Which unit a block, or pair, has in a round; `units` and more: none, and none later. The last round goes to those that may
// have had a unit of an edge before.
__device__ __forceinline__ uint32_t wgmma_unit(const WgmmaGemm &gemm, uint32_t round) {
  const uint32_t many = gemm.paired ? gridDim.x / 2 : gridDim.x, mine = gemm.paired ? blockIdx.x / 2 : blockIdx.x;
  const uint32_t first = round * many;
  return first + (first + many >= static_cast<uint32_t>(gemm.units) ? many - 1 - mine : mine);
}

// Where a block's tile of a unit lies: down stripes of rows, so that blocks running together share rows and columns in L2.
template <class Tile>
struct WgmmaPlace {
  int32_t p, row, col;

  __device__ __forceinline__ WgmmaPlace(const WgmmaGemm &gemm, uint32_t unit, uint32_t rank) {
    const uint32_t rows = static_cast<uint32_t>(gemm.whole_m), cols = static_cast<uint32_t>(gemm.whole_n);
    uint32_t i, j;
    if (unit < static_cast<uint32_t>(gemm.whole)) {
      const uint32_t matrix = unit / (rows * cols), in_matrix = unit - matrix * (rows * cols);
      const uint32_t high = gemm.paired ? Tile::kStripe / 2 : Tile::kStripe;
      const uint32_t stripe = in_matrix / (high * cols), in_stripe = in_matrix - stripe * (high * cols);
      const uint32_t of_stripe = min(rows - stripe * high, high);
      p = static_cast<int32_t>(matrix);
      j = in_stripe / of_stripe;
      i = stripe * high + in_stripe - j * of_stripe;
    } else {
      const uint32_t edge = unit - static_cast<uint32_t>(gemm.whole);
      const uint32_t edges = static_cast<uint32_t>(gemm.units_m * gemm.units_n) - rows * cols;
      const uint32_t matrix = edge / edges, in_matrix = edge - matrix * edges;
      const uint32_t right = static_cast<uint32_t>(gemm.units_n) == cols ? 0 : rows;
      p = static_cast<int32_t>(matrix);
      i = in_matrix < right ? in_matrix : rows;
      j = in_matrix < right ? cols : in_matrix - right;
    }
    row = static_cast<int32_t>((gemm.paired ? 2 * i + rank : i) * Tile::kM);
    col = static_cast<int32_t>(j * Tile::kN);
  }
};

}  // namespace gpuopt
