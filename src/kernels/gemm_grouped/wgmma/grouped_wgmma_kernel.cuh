// Grouped products by wgmma: the tiles, the ring and the main loop of gemm/wgmma, over tiles that are found on the device.
//
// Idea and data movement. gemm/wgmma/wgmma_kernel.cuh's: a warp asks for stages of A and B as far ahead as the ring goes, two
// warpgroups multiply the upper and the lower half of a tile. A is one matrix of all groups' rows, so a tile begins at
// any row of it; rows that follow the group's last are read, multiplied and left out of D. B is the group's matrix. The warp that
// asks for stages finds which tile is next (grouped_queue.cuh), and the ring never empties between groups. How wide tiles are is
// found there as well, from what groups there are: 256 columns read least, 192 or 128 leave fewer multiprocessors without work
// where there are few tiles.
//
// fp8 sums move to fp32 after each 128 of k, by the scales of blocks where there are any (wgmma_scales.cuh).
//
// D: 64 whole rows of a group go by panels and the tensor memory accelerator; fewer through the same panels, 16 bytes a thread.
// All that has stages, C or scales goes by lines: a row of 32 sums a warp and turn, through shared memory.
#pragma once

#include "common/wait_for_stream.cuh"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm/wgmma/wgmma_panels.cuh"
#include "gemm/wgmma/wgmma_ring.cuh"
#include "gemm_grouped/wgmma/grouped_entry.h"
#include "gemm_grouped/wgmma/grouped_queue.cuh"

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

// The first `rows` lines of a panel to D, 16 bytes a thread: what the accelerator, which stores all 64, may not.
template <class Tile>
__device__ __forceinline__ void grouped_store_part(const View &d, int32_t n, const char *panel, int32_t row,
                                                   int32_t rows, int32_t col) {
  const int32_t size = d.dtype == GPUOPT_F32 ? 4 : 2;
  const int32_t thread = static_cast<int32_t>(threadIdx.x % 128), chunk = thread % 8;
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
  using A =
      cuda::std::conditional_t<sizeof(typename Tile::A) == 2, typename Tile::A, __nv_bfloat16>;  // D's, of 16 bits
  const bool words = epilogue.d.dtype == GPUOPT_F32, whole = row + 64 <= at.end;
  if (!work.by_panels || !whole) {
    panels.drain();  // what the accelerator still reads is not written over
    barrier_sync(kStoreBarrier + static_cast<int>(threadIdx.x) / 128, 128);
  }
  if (!work.by_panels) {
#pragma unroll
    for (int i = 0; i < Tile::kSums / 16; ++i) {
      if (at.col + i * 32 < work.n)
        grouped_store_lines<Tile>(work, epilogue, panels, sums + i * 16, at.group, row, at.end, at.col + i * 32);
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < Tile::kSums / 16; ++i) {
    const int32_t col = at.col + (words ? i : i / 2 * 2) * 32;  // the panel's
    if (col >= work.n) return;
    float x[16];
#pragma unroll
    for (int e = 0; e < 16; ++e) x[e] = sums[i * 16 + e] * work.alpha;
    const uint32_t panel = whole && (words || i % 2 == 0) ? panels.open() : panels.address();
    if (words)
      wgmma_write_words(panels.thread(), panel, x);
    else
      wgmma_write_half<A>(panels.thread(), panel, i % 2, x);
    if (!words && i % 2 == 0) continue;
    if (whole)
      panels.close(map, col, row, 0);
    else
      panels.take(
          [&](const char *filled) { grouped_store_part<Tile>(epilogue.d, work.n, filled, row, at.end - row, col); });
  }
}

// Of A the rows that either warpgroup multiplies, of B the panels of 64 columns that exist.
template <class Tile, bool kAlongB>
__device__ __forceinline__ void grouped_copy(const CUtensorMap &map_a, const CUtensorMap &map_b, WgmmaRing<Tile> &ring,
                                             const GroupedTile &at, int32_t depth, const GroupedWork &work) {
  constexpr int kHalf = Tile::kGroupRows;
  const bool lower = at.row + kHalf < at.end;
  const int32_t panels = min(Tile::kN / 64, (work.n - at.col + 63) / 64);
  ring.expect(((lower ? 2 * kHalf : kHalf) + panels * 64) * 128);
  wgmma_copy<true, kHalf>(map_a, ring.stage(), ring.full(), at.row, depth, 0);
  if (lower) wgmma_copy<true, kHalf>(map_a, ring.stage() + kHalf * 128, ring.full(), at.row + kHalf, depth, 0);
  for (int32_t i = 0; i < panels; ++i)
    wgmma_copy<kAlongB, 64>(map_b, ring.stage() + Tile::kM * 128 + i * static_cast<int32_t>(kWgmmaPanelBytes),
                            ring.full(), at.col + i * 64, depth, work.batched_b ? at.group : 0);
  ring.advance();
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
  GroupedQueue<Tile> queue(shared + Tile::kLines);
  if (half == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Tile::kCopyRegisters));
    if (threadIdx.x >= Tile::kMathThreads + 32) return;
    queue.template produce<Tile::kM, Tile::kN>(work, ring, [&](const GroupedTile &tile) {
      for (int32_t t = 0; t < stages; ++t)
        grouped_copy<Tile, kAlongB>(map_a, map_b, ring, tile, t * Tile::kDepth, work);
    });
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Tile::kMathRegisters));
  WgmmaPanels<Tile> panels(shared + Tile::kStageBytes * Tile::kStages, half);
  typename Tile::Sum sums[Tile::kBlocks][Tile::kSums];
  while (queue.take(ring, &at)) {
    const int32_t upper = half * Tile::kGroupRows, row = at.row + upper;
    if (row >= at.end) {
      wgmma_pass_over(ring, stages);
      continue;
    }
    const auto offset = static_cast<uint32_t>(upper * 128);
    if constexpr (Tile::kPromotes) {
      wgmma_promote<Tile, true, kAlongB>(sums, ring, stages, offset,
                                         WgmmaScales<Tile::kBlocks>(work.blocks, at.group, row, at.col, at.end));
    } else {
      wgmma_adding_loop<Tile>(sums, ring, stages, offset, [&](bool adds, auto &to, WgmmaFrom from) {
        wgmma_stage<Tile, true, kAlongB, Tile::kBlocks, Tile::kN>(to, from, adds);
      });
    }
    panels.begin();
#pragma unroll
    for (int i = 0; i < Tile::kBlocks; ++i) {
      if (row + i * 64 < at.end) grouped_finish<Tile>(work, epilogue, map_d, panels, sums[i], at, row + i * 64);
    }
  }
  panels.drain();
}

__device__ __forceinline__ char *grouped_shared() {
  extern __shared__ char wgmma_shared[];
  return wgmma_shared + (1024 - static_cast<uint32_t>(__cvta_generic_to_shared(wgmma_shared)) % 1024) % 1024;
}

template <template <int> class Tile, bool kAlongB>
__global__ void __launch_bounds__(Tile<kGroupedWidest>::kThreads, 1)
    gemm_grouped_wgmma_widths_kernel(const __grid_constant__ CUtensorMap map_a,
                                     const __grid_constant__ CUtensorMap map_b,
                                     const __grid_constant__ CUtensorMap map_d,
                                     const __grid_constant__ GroupedWork work,
                                     const __grid_constant__ GemmEpilogue<float> epilogue) {
#if __CUDA_ARCH__ >= 900
  char *const shared = grouped_shared();
  wait_for_stream();
  const int width = grouped_width<Tile<kGroupedWidest>::kM>(work);
  if (width == 0)
    grouped_tiles<Tile<grouped_columns(0)>, kAlongB>(shared, map_a, map_b, map_d, work, epilogue);
  else if (width == 1)
    grouped_tiles<Tile<grouped_columns(1)>, kAlongB>(shared, map_a, map_b, map_d, work, epilogue);
  else
    grouped_tiles<Tile<grouped_columns(2)>, kAlongB>(shared, map_a, map_b, map_d, work, epilogue);
#endif
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
