// Grouped products by wgmma: the tiles, the ring and the main loop of gemm/wgmma, over tiles that are found on the device.
//
// Idea and data movement. gemm/wgmma/wgmma_kernel.cuh's: a warp asks for stages of A and B as far ahead as the ring goes, two
// warpgroups multiply the upper and the lower half of a tile. A is one matrix of all groups' rows, so a tile begins at
// any row of it; rows that follow the group's last are read, multiplied and left out of D. B is the group's matrix. Which tile
// is next, each warp works out for itself (grouped_walk.cuh), and the ring never empties between groups.
//
// fp8 sums move to fp32 after each 128 of k, by the scales of blocks where there are any (wgmma_scales.cuh).
//
// D: 64 whole rows of a group go by panels and the tensor memory accelerator; fewer, and all that has stages, C or
// scales, by lines: a row of 32 sums a warp and turn, through shared memory.
#pragma once

#include "common/dependent_launch.cuh"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm/wgmma/wgmma_panels.cuh"
#include "gemm/wgmma/wgmma_ring.cuh"
#include "gemm/wgmma/wgmma_scales.cuh"
#include "gemm_grouped/wgmma/grouped_walk.cuh"

namespace gpuopt {

// 32 columns of 64 rows, of which those before `end` exist.
template <class Tile>
__device__ __forceinline__ void grouped_store_lines(const GroupedWork &work, const GemmEpilogue<float> &epilogue,
                                                    WgmmaPanels<Tile> &panels, const float *x, int32_t group,
                                                    int32_t row, int32_t end, int32_t col) {
  const int lane = panels.thread().lane, warp = panels.thread().warp;
  panels.pass([&](uint32_t panel) { wgmma_write_words(panels.thread(), panel, x); },
              [&](const char *panel) {
                if (col + lane >= work.n) return;
#pragma unroll 1
                for (int i = warp; i < 64 && row + i < end; i += 4) {
                  float sum[1] = {
                      *reinterpret_cast<const float *>(panel + i * 128 + ((lane / 4) ^ (i & 7)) * 16 + lane % 4 * 4)};
                  const Run run = {group, row + i, col + lane, 0, 0, 1};
                  if (work.plain) {
                    sum[0] *= work.alpha;
                    store_run(epilogue.d, run, sum);
                  } else {
                    gemm_epilogue(epilogue, run, sum);
                  }
                }
              });
}

template <class Tile>
__device__ __forceinline__ void grouped_finish(const GroupedWork &work, const GemmEpilogue<float> &epilogue,
                                               const CUtensorMap &map, WgmmaPanels<Tile> &panels,
                                               const float (&sums)[Tile::kSums], const GroupedTile &at, int32_t row) {
  using A =
      cuda::std::conditional_t<sizeof(typename Tile::A) == 2, typename Tile::A, __nv_bfloat16>;  // D's, of 16 bits
  const bool words = epilogue.d.dtype == GPUOPT_F32;
  if (!work.by_panels || row + 64 > at.end) {
    panels.drain();  // what the accelerator still reads is not written over
    barrier_sync(kStoreBarrier + static_cast<int>(threadIdx.x) / 128, 128);
#pragma unroll
    for (int i = 0; i < Tile::kSums / 16; ++i) {
      if (at.col + i * 32 < work.n)
        grouped_store_lines<Tile>(work, epilogue, panels, sums + i * 16, at.group, row, at.end, at.col + i * 32);
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < Tile::kSums / 16; ++i) {
    const int32_t col = at.col + i * 32;
    if (at.col + i / 2 * 64 >= work.n) return;
    float x[16];
#pragma unroll
    for (int e = 0; e < 16; ++e) x[e] = sums[i * 16 + e] * work.alpha;
    if (!words) {
      wgmma_write_half<A>(panels.thread(), i % 2 == 0 ? panels.open() : panels.address(), i % 2, x);
      if (i % 2 == 1) panels.close(map, col - 32, row, 0);
    } else if (col < work.n) {
      wgmma_write_words(panels.thread(), panels.open(), x);
      panels.close(map, col, row, 0);
    }
  }
}

template <class Tile, bool kAlongB>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    gemm_grouped_wgmma_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                              const __grid_constant__ CUtensorMap map_d, const __grid_constant__ GroupedWork work,
                              const __grid_constant__ GemmEpilogue<float> epilogue) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char wgmma_shared[];
  char *const shared =
      wgmma_shared + (1024 - static_cast<uint32_t>(__cvta_generic_to_shared(wgmma_shared)) % 1024) % 1024;
  WgmmaRing<Tile> ring(shared, shared + Tile::kBarriers, false);
  const int half = static_cast<int>(threadIdx.x) / 128;
  const int32_t stages = (work.k + Tile::kDepth - 1) / Tile::kDepth;
  WgmmaTurns<Tile> turns(shared, half);
  if (threadIdx.x == 0) turns.init();
  if (threadIdx.x == 0) ring.init();
  __syncthreads();
  wait_for_stream();
  GroupedTile at;
  if (half == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Tile::kCopyRegisters));
    if (threadIdx.x >= Tile::kMathThreads + 32) return;
    GroupedWalk<Tile::kM, Tile::kN> walk(work);
    for (uint32_t number = blockIdx.x; walk.find(work, number, &at); number += gridDim.x) {
      if (threadIdx.x == Tile::kMathThreads) {
        for (int32_t t = 0; t < stages; ++t) {
          ring.expect();
          wgmma_copy<true, Tile::kM>(map_a, ring.stage(), ring.full(), at.row, t * Tile::kDepth, 0);
          wgmma_copy<kAlongB, Tile::kN>(map_b, ring.stage() + Tile::kM * 128, ring.full(), at.col, t * Tile::kDepth,
                                        work.batched_b ? at.group : 0);
          ring.advance();
        }
      }
      __syncwarp();
    }
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Tile::kMathRegisters));
  WgmmaPanels<Tile> panels(shared + Tile::kStageBytes * Tile::kStages, half);
  GroupedWalk<Tile::kM, Tile::kN> walk(work);
  typename Tile::Sum sums[Tile::kBlocks][Tile::kSums];
  turns.open();
  for (uint32_t number = blockIdx.x;; number += gridDim.x) {
    if (Tile::kPromotes) walk.refresh(work);
    if (!walk.find(work, number, &at)) break;
    const int32_t upper = half * Tile::kGroupRows, row = at.row + upper;
    if (row >= at.end) {
      wgmma_pass_over(ring, stages);
      continue;
    }
    if constexpr (Tile::kPromotes) {
      const bool in_turns = half == 1 || row + Tile::kGroupRows < at.end;
      const auto step = [&](bool, auto &to, int i) {
        wgmma_promoting_step<Tile, true, kAlongB>(to, ring, static_cast<uint32_t>(upper * 128), i, turns, in_turns);
      };
      wgmma_promoting_loop<Tile, 1>(sums, ring, stages, step,
                                    WgmmaScales<Tile::kBlocks>(work.blocks, at.group, row, at.col, at.end, stages));
    } else {
      wgmma_adding_loop<Tile>(sums, ring, stages, [&](bool adds, auto &to) {
        wgmma_stage<Tile, true, kAlongB, Tile::kBlocks, Tile::kN>(to, ring.stage(), static_cast<uint32_t>(upper * 128),
                                                                  adds);
      });
    }
    panels.begin();
#pragma unroll
    for (int i = 0; i < Tile::kBlocks; ++i) {
      if (row + i * 64 < at.end) grouped_finish<Tile>(work, epilogue, map_d, panels, sums[i], at, row + i * 64);
    }
  }
  panels.drain();
#endif
}

}  // namespace gpuopt
