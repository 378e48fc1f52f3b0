// Grouped products of few rows a group by wgmma: each group's matrix is read once, at the speed of memory.
//
// Idea and data movement. As in gemm/wgmma/wgmma_skinny_kernel.cuh 64 columns of B are the 64 rows that the instruction
// multiplies, and the group's rows, 8 to 64 at a time, are its columns. Blocks stay and take tile after tile, so that the
// stages of the next one are on their way while the sums of this one leave; two on a multiprocessor hide each other's
// ends. Tiles are found on the device (grouped_walk.cuh). Results go element by element: they are few.
#pragma once

#include "common/dependent_launch.cuh"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm/wgmma/wgmma_skinny_tile.cuh"
#include "gemm_grouped/wgmma/grouped_walk.cuh"

namespace gpuopt {

template <class Tile, bool kAlongB>
__global__ void __launch_bounds__(Tile::kThreads, 2)
    gemm_grouped_wgmma_skinny_kernel(const __grid_constant__ CUtensorMap map_b,
                                     const __grid_constant__ CUtensorMap map_a,
                                     const __grid_constant__ GroupedWork work,
                                     const __grid_constant__ GemmEpilogue<float> epilogue) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char wgmma_shared[];
  char *const shared =
      wgmma_shared + (1024 - static_cast<uint32_t>(__cvta_generic_to_shared(wgmma_shared)) % 1024) % 1024;
  WgmmaRing<Tile> ring(shared, shared + Tile::kBarriers, false);
  const int32_t stages = (work.k + Tile::kDepth - 1) / Tile::kDepth;
  if (threadIdx.x == 0) ring.init();
  __syncthreads();
  wait_for_stream();
  GroupedTile at;
  GroupedWalk<Tile::kN, Tile::kM> walk(work);
  if (threadIdx.x >= Tile::kMathThreads) {
    for (uint32_t number = blockIdx.x; walk.find(work, number, &at); number += gridDim.x) {
#pragma unroll 1
      for (int32_t t = 0; t < stages; ++t) {
        ring.fill(Tile::kStageBytes, [&] {
          wgmma_copy<kAlongB, Tile::kM>(map_b, ring.stage(), ring.full(), at.col, t * Tile::kDepth,
                                        work.batched_b ? at.group : 0);
          wgmma_copy<true, Tile::kN>(map_a, ring.stage() + Tile::kM * 128, ring.full(), at.row, t * Tile::kDepth, 0);
        });
      }
    }
    return;
  }

  typename Tile::Sum sums[Tile::kBlocks][Tile::kSums];
  for (uint32_t number = blockIdx.x; walk.find(work, number, &at); number += gridDim.x) {
    wgmma_adding_loop<Tile>(sums, ring, stages, 0, [&](bool adds, auto &to, WgmmaFrom from) {
      wgmma_stage<Tile, kAlongB, true, Tile::kBlocks, Tile::kN>(to, from, adds);
    });
#pragma unroll
    for (int quad = 0; quad < Tile::kQuads; ++quad) {
      typename Tile::Sum x[4];
      wgmma_skinny_quad<Tile>(sums, quad, x);
      const auto [r, c] = wgmma_quad_place(static_cast<int>(threadIdx.x), quad, Tile::kN);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int32_t i = at.row + c + e % 2, j = at.col + r + e / 2 * 8;
        if (i >= at.end || j >= work.n) continue;
        const Run run = {at.group, i, j, 0, 0, 1};
        float sum[1] = {x[e]};
        if (work.plain) {
          sum[0] *= work.alpha;
          store_run(epilogue.d, run, sum);
        } else {
          gemm_epilogue(epilogue, run, sum);
        }
      }
    }
  }
#endif
}

}  // namespace gpuopt
