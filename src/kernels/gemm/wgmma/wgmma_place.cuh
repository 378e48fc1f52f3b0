// Who computes what in the wgmma kernels.
#pragma once

#include "gemm/wgmma/wgmma_ring.cuh"
#include "gemm/wgmma/wgmma_work.h"

namespace gpuopt {

// The two blocks of a pair.
__device__ __forceinline__ uint32_t pair_rank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));  // each time again, rather than kept
  return rank;
}
__device__ __forceinline__ void pair_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

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
