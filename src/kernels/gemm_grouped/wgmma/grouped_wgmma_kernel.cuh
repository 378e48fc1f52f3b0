// Grouped products by wgmma: the tiles, the ring and the main loop of gemm/wgmma, over tiles that are found on the device.
//
// Idea and data movement. gemm/wgmma/wgmma_kernel.cuh's: a warp asks for stages of A and B as far ahead as the ring goes, two
// warpgroups multiply the upper and the lower half of a tile. A is one matrix of all groups' rows, so a tile begins at
// any row of it; rows that follow the group's last are read, multiplied and left out of D. B is the group's matrix. The warp that
// asks for stages finds which tile is next (grouped_queue.cuh), and the ring never empties between groups. How wide tiles of
// 16-bit types are is found there as well (grouped_widths_kernel.cuh), from what groups there are: 256 columns read least, 192 or 128
// leave fewer multiprocessors without work where there are few tiles. fp8 sums move to fp32 (wgmma_promoting.cuh, wgmma_scales.cuh).
//
// D: 64 whole rows of a group go by panels and the tensor memory accelerator; fewer through the same panels, 16 bytes a thread.
// All that has stages, C or scales goes by lines: a row of 32 sums a warp and turn, through shared memory.
#pragma once

#include "common/wait_for_stream.cuh"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm_grouped/wgmma/grouped_entry.h"
#include "gemm_grouped/wgmma/grouped_parts.cuh"
#include "gemm_grouped/wgmma/grouped_queue.cuh"
#include "gemm_grouped/wgmma/grouped_walk.cuh"

namespace gpuopt {

// The first `rows` lines of a panel to D, 16 bytes a thread: what the accelerator, which stores all 64, may not.
template <class Tile>
__device__ __forceinline__ void grouped_store_part(const View &d, int32_t n, const char *panel, int32_t row,
                                                   int32_t rows, int32_t col) {
  const auto thread = static_cast<int32_t>(threadIdx.x % 128), chunk = thread % 8, size = d.dtype == GPUOPT_F32 ? 4 : 2;
  if (col + chunk * 16 / size >= n) return;
  char *const to = static_cast<char *>(d.data) + (row * d.row_step + col) * size + chunk * 16;
#pragma unroll 1
  for (int32_t i = thread / 8; i < rows; i += 16)
    *reinterpret_cast<uint4 *>(to + i * d.row_step * size) =
        *reinterpret_cast<const uint4 *>(panel + i * 128 + (chunk ^ (i & 7)) * 16);
}

template <class Tile>
__device__ __forceinline__ void grouped_finish(const GroupedWork &work, const GemmEpilogue<float> &epilogue,
                                               const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                               const float (&sums)[Tile::kSums], const GroupedTile &at, int32_t row) {
  const bool words = epilogue.d.dtype == GPUOPT_F32, whole = row + 64 <= at.end;
  if (!work.by_panels || !whole) {
    panels.drain();  // what the accelerator still reads is not written over
    barrier_sync(kStoreBarrier + static_cast<int>(threadIdx.x) / 128, 128);
  }
  if (!work.by_panels) {
#pragma unroll
    for (int i = 0; i < Tile::kSums / 16; ++i) {
      if (at.col + i * 32 < work.n)
        grouped_store_lines<Tile>(panels, sums + i * 16, at.group, row, at.end, at.col + i * 32, work.n,
                                  [&](const Run &run, float(&sum)[1]) {
                                    if (work.plain) {
                                      sum[0] *= work.alpha;
                                      store_run(epilogue.d, run, sum);
                                    } else {
                                      gemm_epilogue(epilogue, run, sum);
                                    }
                                  });
    }
    return;
  }
  grouped_store_panels<Tile>(map, panels, sums, work.alpha, words, row, at.col, work.n, whole,
                             [&](const char *panel, int32_t col) {
                               grouped_store_part<Tile>(epilogue.d, work.n, panel, row, at.end - row, col);
                             });
}

// All that a block does with tiles of one width.
template <class Tile, bool kAlongB>
__device__ __forceinline__ void grouped_tiles(char *shared, const CUtensorMap &map_a, const CUtensorMap &map_b,
                                              const CUtensorMap &map_d, const GroupedWork &work,
                                              const GemmEpilogue<float> &epilogue) {
  WgmmaRing<Tile> ring(shared, shared + Tile::kBarriers, false);
  const int half = static_cast<int>(threadIdx.x) / 128;
  const int32_t stages = (work.k + Tile::kDepth - 1) / Tile::kDepth;
  if (threadIdx.x == 0) ring.init();
  __syncthreads();
  GroupedTile at;
  GroupedQueue<Tile, GroupedTile> queue(shared + Tile::kLines);
  if (half == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Tile::kCopyRegisters));
    if (threadIdx.x >= Tile::kMathThreads + 32) return;
    queue.template produce<GroupedWalk<Tile::kM, Tile::kN>>(work, ring, [&](const GroupedTile &tile) {
      for (int32_t t = 0; t < stages; ++t)
        grouped_copy<Tile, kAlongB>(map_a, map_b, ring, tile.row, tile.end, tile.col, work.n, t * Tile::kDepth,
                                    work.batched_b ? tile.group : 0);
    });
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Tile::kMathRegisters));
  WgmmaPanels<Tile> panels(shared + Tile::kStageBytes * Tile::kStages, half);
  typename Tile::Sum sums[Tile::kBlocks][Tile::kSums];
  while (queue.take(ring, &at)) {
    const int32_t upper = half * Tile::kGroupRows, row = at.row + upper;
    if (row >= at.end) {
      barrier_sync(kStoreBarrier + half, 128);  // all have seen the stage that one warp now frees
      wgmma_pass_over(ring, stages);
      continue;
    }
    const auto offset = static_cast<uint32_t>(upper * 128);
    if constexpr (Tile::kPromotes) {
      wgmma_promote<Tile, true, kAlongB>(sums, ring, stages, offset, at.end - row,
                                         WgmmaScales<Tile::kBlocks>(work.blocks, at.group, row, at.col, at.end));
    } else {
      wgmma_adding_loop<Tile>(sums, ring, stages, offset, [&](bool adds, auto &to, WgmmaFrom from) {
        wgmma_stage<Tile, true, kAlongB, Tile::kBlocks, Tile::kN>(to, from, adds);
      });
    }
    panels.begin();
    if constexpr (Tile::kPromotes) at = queue.taken();
#pragma unroll
    for (int i = 0; i < Tile::kBlocks; ++i) {
      const int32_t first = at.row + upper + i * 64;
      if (first < at.end) grouped_finish<Tile>(work, epilogue, map_d, panels, sums[i], at, first);
    }
  }
  panels.drain();
}

template <class Tile, bool kAlongB>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    gemm_grouped_wgmma_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                              const __grid_constant__ CUtensorMap map_d, const __grid_constant__ GroupedWork work,
                              const __grid_constant__ GemmEpilogue<float> epilogue) {
#if __CUDA_ARCH__ >= 900
  wait_for_stream();
  grouped_tiles<Tile, kAlongB>(grouped_shared(), map_a, map_b, map_d, work, epilogue);
#endif
}

}  // namespace gpuopt
