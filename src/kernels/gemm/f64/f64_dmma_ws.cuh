// The warp-specialised fp64 tensor-core kernel: four warps copy, eight multiply.
#pragma once

#include "gemm/common/stage_ring.cuh"
#include "gemm/f64/f64_dmma.cuh"
#include "gemm/f64/f64_stream_k.cuh"

namespace gpuopt {

constexpr int kF64CopyThreads = 128;  // a warpgroup, because registers are handed over by warpgroups

template <class Tile>
constexpr int kF64WsThreads = Tile::kMathThreads + kF64CopyThreads;
template <class Tile>
constexpr int kF64WsSharedBytes = Tile::kStages *(Tile::kStageBytes + 2 * static_cast<int>(sizeof(uint64_t)));

template <class Tile>
using F64Ring = StageRing<Tile::kStages, Tile::kStageBytes, Tile::kMathThreads / 32>;

template <class Tile>
__global__ void __launch_bounds__(kF64WsThreads<Tile>, 1)
    gemm_f64_dmma_ws_kernel(const __grid_constant__ F64Gemm gemm) {
  constexpr int kRows = Tile::kRows, kAhead = Tile::kLeftBuffers / 2;
  constexpr int kTileSide = Tile::kBM;
  static_assert(Tile::kBN == kTileSide, "D's tile is the same transposed");
  static_assert(Tile::kCols == kRows, "a column of right fragments is read with each row of left ones");
  extern __shared__ __align__(128) char f64_ws_shared[];
  F64Ring<Tile> ring(f64_ws_shared, f64_ws_shared + Tile::kStages * Tile::kStageBytes);
  if (threadIdx.x == 0) ring.init(kF64CopyThreads);
  __syncthreads();
  F64Work work;
  int64_t slot;

  if (threadIdx.x >= Tile::kMathThreads) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 80;");
    for (int n = 0; f64_work<Tile>(gemm, n, work, slot); ++n) {
      F64Loader<F64Arrangement::kPairsOfRows, Tile::kBM, kF64CopyThreads> left(gemm.left, work.p, work.row,
                                                                               work.k_begin);
      F64Loader<F64Arrangement::kPairsOfK, Tile::kBN, kF64CopyThreads> right(gemm.right, work.p, work.col,
                                                                             work.k_begin);
      for (int k_left = work.depth; k_left > 0; k_left -= kF64Depth, ring.advance()) {
        ring.wait_empty();
        const uint32_t to = static_cast<uint32_t>(__cvta_generic_to_shared(ring.stage()));
        left.copy(to, k_left);
        right.copy(to + Tile::kRightBytes, k_left);
        ring.arrive_full();
      }
    }
    __pipeline_wait_prior(0);
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
  F64DmmaWarp<Tile> warp;
  for (int n = 0; f64_work<Tile>(gemm, n, work, slot); ++n) {
    warp.clear();
    const char *from = ring.stage(), *next = from;
    if (work.steps > 0) {
      ring.wait_full();
      warp.read_right(from, 0);
#pragma unroll
      for (int i = 0; i < kAhead; ++i) warp.read_left(from, 0, i);
    }
    for (int step = work.steps; step > 0; --step) {
      const bool more = step > 1;
#pragma unroll
      for (int part = 0; part < Tile::kParts; ++part) {
        const bool last = part + 1 == Tile::kParts;
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
          // While row i is multiplied: the right operand's column i of the next part, and the row kAhead further on.
          if (!last) {
            warp.read_right(from, part + 1, i);
          } else if (more) {
            if (i == 0) {
              F64Ring<Tile> following = ring;
              following.advance();
              following.wait_full();
              next = following.stage();
            }
            warp.read_right(next, 0, i);
          }
          if (i + kAhead < kRows) {
            warp.read_left(from, part, i + kAhead);
          } else if (!last) {
            warp.read_left(from, part + 1, i + kAhead - kRows);
          } else {
            if (i + kAhead == kRows) ring.arrive_empty();  // the stage is read
            if (more) warp.read_left(next, 0, i + kAhead - kRows);
          }
          warp.multiply(part, i);
        }
      }
      ring.advance();
      from = next;
    }
    // What the store needs is found again rather than held in registers until here.
    asm volatile("" : "+r"(n));
    f64_work<Tile>(gemm, n, work, slot);
    if (slot < 0) {
      warp.store(F64Store(gemm, work.p, work.slice), gemm.transposed, work.row, work.col);
    } else {
      warp.store(F64Store(gemm.tail + slot * (kTileSide * kTileSide), kTileSide, kTileSide), gemm.transposed, 0, 0);
    }
  }
}

}  // namespace gpuopt
