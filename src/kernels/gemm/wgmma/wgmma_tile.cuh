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
  static constexpr bool kNarrows =
      !Promotes && !kSplit && N >= 192;                 // columns of a tile are a launch's to choose (wgmma_widths)
  static constexpr bool kEdges = !kFull && !Promotes;   // tiles of which little exists take less time
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
  static constexpr int kStripe = kWgmmaStripe;
  static constexpr int kNarrow = kWgmmaNarrow;
  static_assert(kBlocks * kSums + (Promotes ? kSums : 0) <= 192, "sums of a thread");
  static_assert(kGroupRows % 64 == 0 && (!PingPong || Groups == 2), "whole wgmmas, turns of two");
  static_assert(kShared <= 227 * 1024, "what a block may have on sm_90");
};

// Which unit this block, or pair, has in a round; `units` and more: none, and none later.
template <class Tile>
__device__ __forceinline__ uint32_t wgmma_unit(const WgmmaGemm &gemm, uint32_t round) {
  uint32_t mine;  // worked out again at each call, rather than kept
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(mine));
  mine >>= gemm.paired ? 1 : 0;
  return Tile::kEdges ? wgmma_unit_of(gemm, mine, round) : round * gemm.many + mine;
}

// Where a block's tile of a unit lies: down stripes of rows, so that blocks running together share rows and columns in L2.
template <class Tile>
struct WgmmaPlace {
  int32_t p, row, col;

  __device__ __forceinline__ WgmmaPlace(const WgmmaGemm &gemm, uint32_t unit) {
    int32_t i, j;
    if (__builtin_expect(unit < static_cast<uint32_t>(gemm.whole), 1)) {
      int32_t in_matrix, in_stripe;
      p = gemm.in_matrix.divide(static_cast<int32_t>(unit), in_matrix);
      const int32_t stripe = gemm.in_stripe.divide(in_matrix, in_stripe);
      if (stripe < gemm.stripes) {
        j = in_stripe >> gemm.log_high;
        i = in_stripe & ((1 << gemm.log_high) - 1);
      } else {
        j = gemm.in_last.divide(in_stripe, i);
      }
      i += stripe << gemm.log_high;
    } else {
      const int32_t edge = static_cast<int32_t>(unit) - gemm.whole;
      const int32_t edges = gemm.units_m * gemm.units_n - gemm.whole_m * gemm.whole_n;
      p = edge / edges;
      const int32_t in_matrix = edge - p * edges;
      // The lower edge first, whose units take longer.
      const int32_t lower = gemm.units_m == gemm.whole_m ? 0 : gemm.units_n;
      i = in_matrix < lower ? gemm.whole_m : in_matrix - lower;
      j = in_matrix < lower ? in_matrix : gemm.whole_n;
    }
    row = (gemm.paired ? 2 * i + static_cast<int32_t>(pair_rank()) : i) * Tile::kM;
    col = j * (Tile::kNarrows ? gemm.width : Tile::kN);
  }
};

// Columns of the tile from `col` on; of the last of a row no more than exist.
template <class Tile>
__device__ __forceinline__ int32_t wgmma_columns(const WgmmaGemm &gemm, int32_t col) {
  return min(gemm.n - col, Tile::kNarrows ? gemm.width : Tile::kN);
}

}  // namespace gpuopt
