// Products by wgmma: warp-specialised, persistent.
//
// Idea and data movement. The tensor cores of Hopper reach their rate only when both operands lie in shared memory and a
// warpgroup asks for 64 rows times a whole tile's columns at once. So one thread of a third warpgroup does nothing but
// ask the tensor memory accelerator for tiles, as far ahead as the ring has stages; two warpgroups do nothing but wait
// for a stage, ask for its products, and wait for those of the stage before, which is free then. Registers go from the
// first to the others. Blocks stay and take tile after tile, so the ring never empties between two.
//
// Two blocks that run together may be a pair (wgmma_tile.cuh), which brings each tile of B once for both.
//
// 128 x 256: both warpgroups share a tile, an upper and a lower half, which reads least from L2. Ping-pong: each has a
// tile of its own and they take turns at the tensor cores, one storing while the other multiplies, which hides the end
// of a tile where k is short. Sums in fp32 (i8: int32), in the order of k, with the tensor core's truncation.
#pragma once

#include "common/dependent_launch.cuh"
#include "gemm/wgmma/wgmma_instruction.cuh"
#include "gemm/wgmma/wgmma_store.cuh"

namespace gpuopt {

// Both sides of the ring go round by themselves; readers are the warpgroups that share a stage, by one thread each, in both
// blocks of a pair.
template <class Tile>
class WgmmaRing {
 public:
  __device__ __forceinline__ WgmmaRing(char *stages, char *barriers, bool paired)
      : stages_(stages), full_(reinterpret_cast<uint64_t *>(barriers)), paired_(paired) {}

  // By one thread, before a barrier of the block or pair.
  __device__ __forceinline__ void init() const {
    for (int s = 0; s < Tile::kStages; ++s) {
      cuda::ptx::mbarrier_init(full_ + s, 1);
      cuda::ptx::mbarrier_init(full_ + Tile::kStages + s, (Tile::kPingPong ? 1 : 2) * (paired_ ? 2 : 1));
    }
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
  }
  __device__ __forceinline__ char *stage() const { return stages_ + index_ * Tile::kStageBytes; }
  __device__ __forceinline__ uint64_t *full() const { return full_ + index_; }
  __device__ __forceinline__ int index() const { return index_; }
  __device__ __forceinline__ void wait_full() const { wait(full_ + index_, phase_); }
  // Waits for the readers, then expects the next bytes.
  __device__ __forceinline__ void expect() const {
    namespace ptx = cuda::ptx;
    wait(full_ + Tile::kStages + index_, phase_ ^ 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full_ + index_,
                                   Tile::kStageBytes);
  }
  __device__ __forceinline__ void free_stage(int index) const {
    const uint32_t thread = threadIdx.x % 128;
    if (paired_) {
      if (thread < 2) pair_arrive(full_ + Tile::kStages + index, thread);
    } else if (thread == 0) {
      cuda::ptx::mbarrier_arrive(full_ + Tile::kStages + index);
    }
  }
  __device__ __forceinline__ void advance(int32_t by = 1) {
    index_ += by;
    phase_ ^= static_cast<uint32_t>(index_ / Tile::kStages) & 1;
    index_ %= Tile::kStages;
  }

 private:
  static __device__ __forceinline__ void wait(uint64_t *barrier, uint32_t phase) {
    while (!cuda::ptx::mbarrier_try_wait_parity(barrier, phase)) {
    }
  }

  char *stages_;
  uint64_t *full_;  // then the empty ones
  bool paired_;
  int index_ = 0;
  uint32_t phase_ = 0;
};

// Boxes of one operand's part of a stage: kExtent of m or n from `extent` on, 128 bytes of k from `depth` on. both: into
// both blocks of a pair.
template <bool kAlongK, int kExtent>
__device__ __forceinline__ void wgmma_copy(const CUtensorMap &map, char *to, uint64_t *full, int32_t extent,
                                           int32_t depth, int32_t p, bool both = false) {
  namespace ptx = cuda::ptx;
  constexpr int kBox = kAlongK ? kExtent : 64;
  static_assert(kExtent % kBox == 0, "whole panels");
#pragma unroll
  for (int i = 0; i < kExtent / kBox; ++i) {
    char *const box = to + i * static_cast<int>(kWgmmaPanelBytes);
    const int32_t first = kAlongK ? depth : extent + i * 64, second = kAlongK ? extent : depth;
    if (both)
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, {first, second, p}, full, 3);
    else
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, {first, second, p}, full);
  }
}
// B's part; of a pair this block's half for both.
template <class Tile, bool kAlongK>
__device__ __forceinline__ void wgmma_copy_b(const CUtensorMap &map, char *to, uint64_t *full, int32_t col,
                                             int32_t depth, int32_t p, bool paired, uint32_t rank) {
  if constexpr (Tile::kN % 128 == 0) {
    constexpr int kHalf = Tile::kN / 2;
    if (paired)
      return wgmma_copy<kAlongK, kHalf>(map, to + rank * (kHalf * 128), full, col + static_cast<int32_t>(rank) * kHalf,
                                        depth, p, true);
  }
  wgmma_copy<kAlongK, Tile::kN>(map, to, full, col, depth, p);
}

// The products of one stage: 64 kBlocks rows by kColumns. A warpgroup's rows begin `offset` bytes into A's part of it, whether
// those are lines or panels: 64 of them are 8 KB either way.
template <class Tile, bool kAlongA, bool kAlongB, int kBlocks, int kColumns>
__device__ __forceinline__ void wgmma_stage(typename Tile::Sum (&sums)[Tile::kBlocks][Tile::kSums], const char *stage,
                                            uint32_t offset, bool adds) {
  const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(stage));
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step) {
#pragma unroll
    for (int i = 0; i < kBlocks; ++i)
      wgmma<typename Tile::A, typename Tile::B, !kAlongA, !kAlongB, kColumns / 2>(
          sums[i], wgmma_descriptor<kAlongA>(at + offset + static_cast<uint32_t>(i) * kWgmmaPanelBytes, step),
          wgmma_descriptor<kAlongB>(at + Tile::kM * 128, step), adds || step != 0);
  }
  wgmma_commit();
}

// The products of `stages` stages, one of them always under way. stage(t, sums) asks for one.
template <class Tile, class Stage>
__device__ __forceinline__ void wgmma_adding_loop(typename Tile::Sum (&sums)[Tile::kBlocks][Tile::kSums],
                                                  WgmmaRing<Tile> &ring, int32_t stages, Stage &&stage) {
  int before = 0;
#pragma unroll 1
  for (int32_t t = 0; t < stages; ++t) {
    ring.wait_full();
    stage(t != 0, sums);
    wgmma_wait<1>();
    if (t > 0) ring.free_stage(before);
    before = ring.index();
    ring.advance();
  }
  wgmma_wait<0>();
  ring.free_stage(before);
}

// The same with each stage's sums added to those before in fp32, while the other warpgroup multiplies. (Two parts in turn would
// keep one under way, but take more registers than ptxas deals with in a block of three warpgroups.)
template <class Tile, class Stage>
__device__ __forceinline__ void wgmma_promoting_loop(float (&sums)[Tile::kBlocks][Tile::kSums], WgmmaRing<Tile> &ring,
                                                     int32_t stages, Stage &&stage) {
  float part[Tile::kBlocks][Tile::kSums];
#pragma unroll
  for (int i = 0; i < Tile::kBlocks; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kSums; ++j) sums[i][j] = 0;
  }
#pragma unroll 1
  for (int32_t t = 0; t < stages; ++t) {
    ring.wait_full();
    stage(false, part);
    wgmma_wait<0>();
    ring.free_stage(ring.index());
    ring.advance();
#pragma unroll
    for (int i = 0; i < Tile::kBlocks; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kSums; ++j) sums[i][j] += part[i][j];
    }
  }
}

// A warpgroup's part of a tile, of which so many rows and columns exist.
template <class Tile, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void wgmma_multiply(typename Tile::Sum (&sums)[Tile::kBlocks][Tile::kSums],
                                               WgmmaRing<Tile> &ring, int32_t stages, uint32_t offset, int32_t rows,
                                               int32_t cols) {
  if (rows <= 0) {
    // All of it is the other warpgroup's or block's. One warp gives its share of the stages back: nothing else here would keep
    // the four from running ahead of each other by more than a barrier's two phases tell apart.
    if (threadIdx.x % 128 < 32) {
      for (int32_t t = 0; t < stages; ++t) {
        ring.wait_full();
        __syncwarp();
        ring.free_stage(ring.index());
        ring.advance();
      }
    } else {
      ring.advance(stages);
    }
    barrier_sync(kStoreBarrier + static_cast<int>(threadIdx.x) / 128, 128);
    return;
  }
  const auto all = [&](bool adds, auto &to) {
    wgmma_stage<Tile, kAlongA, kAlongB, Tile::kBlocks, Tile::kN>(to, ring.stage(), offset, adds);
  };
  if constexpr (Tile::kPromotes) {  // one loop: with more, ptxas runs out of registers
    wgmma_promoting_loop<Tile>(sums, ring, stages, all);
  } else if (cols <= Tile::kNarrow) {
    wgmma_adding_loop<Tile>(sums, ring, stages, [&](bool adds, auto &to) {
      wgmma_stage<Tile, kAlongA, kAlongB, Tile::kBlocks, Tile::kNarrow>(to, ring.stage(), offset, adds);
    });
  } else if (Tile::kBlocks == 2 && rows <= 64) {
    wgmma_adding_loop<Tile>(sums, ring, stages, [&](bool adds, auto &to) {
      wgmma_stage<Tile, kAlongA, kAlongB, 1, Tile::kN>(to, ring.stage(), offset, adds);
    });
  } else {
    wgmma_adding_loop<Tile>(sums, ring, stages, all);
  }
}

template <class Tile, bool kAlongA, bool kAlongB>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    gemm_wgmma_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                      const __grid_constant__ CUtensorMap map_d, const __grid_constant__ WgmmaGemm gemm,
                      const __grid_constant__ WgmmaStore store) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char wgmma_shared[];
  char *const shared =
      wgmma_shared + (1024 - static_cast<uint32_t>(__cvta_generic_to_shared(wgmma_shared)) % 1024) % 1024;
  WgmmaRing<Tile> ring(shared, shared + Tile::kBarriers, gemm.paired);
  const int group = static_cast<int>(threadIdx.x) / 128;
  const int32_t stages = (gemm.k + Tile::kDepth - 1) / Tile::kDepth;
  const uint32_t units = static_cast<uint32_t>(gemm.units), rank = gemm.paired ? pair_rank() : 0;
  if (threadIdx.x == 0) ring.init();
  if (gemm.paired)
    pair_sync();
  else
    __syncthreads();
  wait_for_stream();
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Tile::kCopyRegisters));
    if (threadIdx.x != Tile::kMathThreads) return;
    for (uint32_t round = 0;; ++round) {
      const uint32_t unit = wgmma_unit(gemm, round);
      if (unit >= units) return;
      const WgmmaPlace<Tile> at(gemm, unit, rank);
      for (int32_t t = 0; t < stages; ++t) {
        ring.expect();
        wgmma_copy<kAlongA, Tile::kM>(map_a, ring.stage(), ring.full(), at.row, t * Tile::kDepth,
                                      gemm.batched_a ? at.p : 0);
        wgmma_copy_b<Tile, kAlongB>(map_b, ring.stage() + Tile::kM * 128, ring.full(), at.col, t * Tile::kDepth,
                                    gemm.batched_b ? at.p : 0, gemm.paired, rank);
        ring.advance();
      }
    }
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Tile::kMathRegisters));
  WgmmaPanels<Tile> panels(shared + Tile::kStageBytes * Tile::kStages, group);
  typename Tile::Sum sums[Tile::kBlocks][Tile::kSums];
  if (Tile::kPingPong && group == 1) ring.advance(stages);
  for (uint32_t round = Tile::kPingPong ? group : 0;; round += Tile::kPingPong ? 2 : 1) {
    const uint32_t unit = wgmma_unit(gemm, round);
    if (unit >= units) break;
    const WgmmaPlace<Tile> at(gemm, unit, rank);
    const int32_t upper = Tile::kPingPong ? 0 : group * Tile::kGroupRows, row = at.row + upper;
    // The first tile of a block is nobody's turn but its own; every other one waits for the main loop before it.
    if (Tile::kPingPong && round != 0) barrier_sync(kTurnBarrier + group, Tile::kMathThreads);
    wgmma_multiply<Tile, kAlongA, kAlongB>(sums, ring, stages, static_cast<uint32_t>(upper * 128), gemm.m - row,
                                           gemm.n - at.col);
    if (Tile::kPingPong) {
      if (wgmma_unit(gemm, round + 1) < units) barrier_arrive(kTurnBarrier + (group ^ 1), Tile::kMathThreads);
      ring.advance(stages);
    }
#pragma unroll
    for (int i = 0; i < Tile::kBlocks; ++i) {
      if (row + i * 64 < gemm.m)
        wgmma_store<Tile>(store, map_d, panels, sums[i], at.p, row + i * 64, at.col, gemm.m, gemm.n);
    }
  }
  panels.drain();
  if (gemm.paired) pair_sync();  // what the other block copies or frees here is done
#endif
}

}  // namespace gpuopt
