// A tile of the wgmma kernels, and where it lies in shared memory.
#pragma once

#include "gemm/wgmma/wgmma_block_scales.h"
#include "gemm/wgmma/wgmma_boxes.h"
#include "gemm/wgmma/wgmma_ring.cuh"

namespace gpuopt {

// A block's tile of M x N results, and its ring of stages of 128 bytes of k. Two warpgroups multiply: kPingPong, each a tile
// of its own, whose end the other one's products hide; else the upper and lower half of one. kPromotes: the tensor core's
// sums, which are cut off (to 13 bits of fraction where operands are fp8, to fp32's of others), move to fp32 after each stage.
template <class TypeA, class TypeB, int M, int N, int Stages, bool PingPong, bool Promotes = false,
          WgmmaScaled Scales = WgmmaScaled::no, int Groups = 2>
struct WgmmaTile {
  using A = TypeA;
  using B = TypeB;
  using Sum = WgmmaSum<A>;
  static constexpr int kM = M, kN = N, kDepth = 128 / sizeof(A), kStages = Stages;
  static constexpr bool kPingPong = PingPong, kPromotes = Promotes, kExact = std::is_same_v<Sum, int32_t>;
  static constexpr WgmmaScaled kScaled = Scales;  // wgmma_scales.cuh
  static constexpr bool kSplit = std::is_same_v<A, WgmmaParts>;
  // wgmma_chain.cuh: of 16 bits where warpgroups take turns, which hides it, of fp8 where there are registers.
  static constexpr bool kChains =
      sizeof(A) == 1 ? M * N == 16384 && !kExact && Scales == WgmmaScaled::no : sizeof(A) == 2 && PingPong;
  static constexpr int kGroups = Groups, kSharers = PingPong ? 1 : Groups;    // warpgroups; those of a stage
  static constexpr int kGroupRows = M / kSharers, kBlocks = kGroupRows / 64;  // a warpgroup's, in wgmmas of 64
  static constexpr int kSums = N / 2;                                         // of a thread and block
  static constexpr bool kFull = kBlocks * kSums > 128;  // of sums: no room for what is known of edges
  static constexpr bool kNarrows =
      !Promotes && !kSplit && N >= 192;  // columns of a tile are a launch's to choose (wgmma_widths)
  static constexpr bool kEdges = !kFull && (!Promotes || kBlocks > 1);  // tiles of which little exists take less time
  static constexpr bool kMatrices = kChains && !kFull;                  // in chains
  static constexpr bool kFolds = !kFull && !kExact && !(kChains && Promotes);  // a matrix (wgmma_fold.cuh)
  // Results by panels, or by lines those that go there most often: no registers are left for others.
  static constexpr bool kPlainEnds = kFull && PingPong && sizeof(A) == 1 && !kExact;
  static constexpr int kChunk = kFull ? 16 : 32;                                    // of them that end together
  static constexpr int kMathThreads = Groups * 128, kThreads = kMathThreads + 128;  // a warpgroup copies
  // Of 65536.
  static constexpr bool kMost = N > 128 && PingPong;
  static constexpr int kMathRegisters = Groups == 3 ? 160 : kMost ? 240 : 232;
  static constexpr int kCopyRegisters = Groups == 3 || kMost ? 24 : 40;
  static constexpr int kStageBytes = (M + N) * 128;
  static constexpr int kPanelBytes = 64 * 128, kPanels = 2;  // of a warpgroup, results on their way out
  static constexpr int kBarriers = kStageBytes * Stages + Groups * kPanels * kPanelBytes;
  // Of a warpgroup: for chains a scale and a shift of each column; for scales by columns those of some steps.
  static constexpr int kLineBytes = kChains ? N * 8 : Scales == WgmmaScaled::by_columns ? 4096 : 0;
  static constexpr int kLines = kBarriers + 16 * Stages;
  static constexpr int kShared = 1024 + kLines + Groups * kLineBytes;  // the swizzle wants 1024 bytes of alignment
  static constexpr int kNarrow = kWgmmaNarrow;
  static_assert(kBlocks * kSums + (Promotes ? kSums : 0) <= 192, "sums of a thread");
  static_assert(kGroupRows % 64 == 0 && (!PingPong || Groups == 2), "whole wgmmas, turns of two");
  static_assert(kShared <= 227 * 1024, "what a block may have on sm_90");
};

}  // namespace gpuopt
