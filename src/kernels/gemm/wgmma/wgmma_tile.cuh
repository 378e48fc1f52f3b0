// Who computes what in the wgmma kernels, and where it lies in shared memory.
#pragma once

#include "common/index.cuh"
#include "gemm/wgmma/wgmma_instruction.cuh"

namespace gpuopt {

// Barriers of some warps of a block, by number; 0 is __syncthreads()'s.
enum { kStoreBarrier = 1, kTurnBarrier = 3 };  // one for each of the two warpgroups
__device__ __forceinline__ void barrier_sync(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
__device__ __forceinline__ void barrier_arrive(int number, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// A block's tile of M x N results, and its ring of stages of 128 bytes of k. Two warpgroups multiply: kPingPong, each a tile
// of its own, whose end the other one's products hide; else the upper and lower half of one. kPromotes: the tensor core's
// sums, which keep 13 bits of fraction where operands are fp8, move to fp32 after each stage.
template <class TypeA, class TypeB, int M, int N, int Stages, bool PingPong, bool Promotes = false>
struct WgmmaTile {
  using A = TypeA;
  using B = TypeB;
  using Sum = WgmmaSum<A>;
  static constexpr int kM = M, kN = N, kDepth = 128 / sizeof(A), kStages = Stages;
  static constexpr bool kPingPong = PingPong, kPromotes = Promotes;
  static constexpr int kGroupRows = PingPong ? M : M / 2, kBlocks = kGroupRows / 64;  // a warpgroup's, in wgmmas of 64
  static constexpr int kSums = N / 2;                                                 // of a thread and block
  static constexpr int kMathThreads = 256, kThreads = kMathThreads + 128;             // a warpgroup copies
  static constexpr int kMathRegisters = 232, kCopyRegisters = 40;                     // of 65536, by three warpgroups
  static constexpr int kStageBytes = (M + N) * 128;
  static constexpr int kPanelBytes = 64 * 128, kPanels = 2;  // of a warpgroup, results on their way out
  static constexpr int kBarriers = kStageBytes * Stages + 2 * kPanels * kPanelBytes;
  static constexpr int kShared = 1024 + kBarriers + 16 * Stages;  // the swizzle wants 1024 bytes of alignment
  static constexpr int kStripe = 8;                               // rows of tiles that go down together
  static_assert(kBlocks * kSums * (Promotes ? 2 : 1) <= 128, "sums of a thread");
  static_assert(kShared <= 227 * 1024, "what a block may have on sm_90");
};

struct WgmmaGemm {
  int32_t m, n, k;
  int32_t tiles_m, tiles_n, tiles;  // tiles: of all matrices
  bool batched_a, batched_b;        // false: one matrix for all
};

// Where a tile lies: down stripes of rows, so that blocks running together share rows and columns in L2.
template <class Tile>
struct WgmmaPlace {
  int32_t p, row, col;

  __device__ __forceinline__ WgmmaPlace(const WgmmaGemm &gemm, uint32_t index) {
    const uint32_t tiles_m = static_cast<uint32_t>(gemm.tiles_m), tiles_n = static_cast<uint32_t>(gemm.tiles_n);
    const uint32_t matrix = index / (tiles_m * tiles_n), tile = index - matrix * (tiles_m * tiles_n);
    const uint32_t per_stripe = Tile::kStripe * tiles_n, stripe = tile / per_stripe;
    const uint32_t rows = min(tiles_m - stripe * Tile::kStripe, static_cast<uint32_t>(Tile::kStripe));
    const uint32_t in_stripe = tile - stripe * per_stripe, column = in_stripe / rows;
    p = static_cast<int32_t>(matrix);
    row = static_cast<int32_t>((stripe * Tile::kStripe + in_stripe - column * rows) * Tile::kM);
    col = static_cast<int32_t>(column * Tile::kN);
  }
};

}  // namespace gpuopt
