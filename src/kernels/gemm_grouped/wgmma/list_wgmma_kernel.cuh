// Lists of products by wgmma: the tiles, the ring and the main loop of gemm/wgmma, over products of any shapes.
//
// Idea and data movement. grouped_wgmma_kernel.cuh's: blocks stay, a warp finds tiles (list_walk.cuh), hands them on through a queue
// and asks for their stages ahead, two warpgroups multiply the upper and the lower half. But each product has matrices of its own,
// so each has tensor maps of its own, which a launch in front has written to global memory (list_maps.h): the accelerator reads
// zeros beyond a product's rows, columns and depth, and leaves out of D what lies beyond it, so that no tile has an end that goes
// row by row. A product without depth is a stage that lies beyond all of its own: zeros.
//
// A thread that asks for a product's boxes, or stores its panels, first makes sure that this multiprocessor has not kept the map that
// lay in its place when the launch before ran. What does not go by panels (stages, C, factors on
// the device, a D that is not on 16 bytes) goes by lines, as with groups.
#pragma once

#include "common/wait_for_stream.cuh"
#include "gemm/common/gemm_epilogue.cuh"
#include "gemm_grouped/wgmma/grouped_parts.cuh"
#include "gemm_grouped/wgmma/grouped_queue.cuh"
#include "gemm_grouped/wgmma/list_tiles_16bit.h"

namespace gpuopt {

// Before the first use of a map that a kernel wrote: this thread's, and what other threads of the block order behind it.
__device__ __forceinline__ void acquire_map(const CUtensorMap &map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(&map) : "memory");
}

template <class Tile>
__device__ __forceinline__ int32_t list_stages(int32_t k) {
  return max(1, (k + Tile::kDepth - 1) / Tile::kDepth);
}

__device__ __forceinline__ ListPlace grouped_same(const ListPlace &at) {
  return {{grouped_same(at.x.m), grouped_same(at.x.n), grouped_same(at.x.k), grouped_same(at.x.by_panels)},
          grouped_same(at.product),
          grouped_same(at.row),
          grouped_same(at.col)};
}

// The width of tiles with which the rounds that all blocks make together take least, as grouped_width(): here depths differ, so a
// round takes what a tile does in the mean. All lanes of a warp ask together, and all warps of a launch find the same.
template <class Tile>
__device__ __forceinline__ int list_width(const ListWgmmaWork &work) {
  float tiles[kGroupedWidths] = {}, stages[kGroupedWidths] = {};
  for (int32_t i = static_cast<int32_t>(threadIdx.x % 32); i < work.shapes.count; i += 32) {
    const ListShape x = work.shapes.at(i);
    const auto rows = static_cast<float>((x.m + Tile::kM - 1) / Tile::kM);
    const auto depth = static_cast<float>(list_stages<Tile>(x.k));
#pragma unroll
    for (int width = 0; width < kGroupedWidths; ++width) {
      const float more = rows * static_cast<float>((x.n + grouped_columns(width) - 1) / grouped_columns(width));
      tiles[width] += more;
      stages[width] += more * depth;
    }
  }
  int best = 0;
  float least = 0;
#pragma unroll
  for (int width = 0; width < kGroupedWidths; ++width) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      tiles[width] += __shfl_xor_sync(0xffffffffu, tiles[width], step);
      stages[width] += __shfl_xor_sync(0xffffffffu, stages[width], step);
    }
    const float of_tile = stages[width] / fmaxf(tiles[width], 1) * work.stage_clocks[width] + work.end_clocks[width];
    const float clocks = ceilf(tiles[width] / static_cast<float>(gridDim.x)) * of_tile;
    if (width == 0 || clocks < least) {
      best = width;
      least = clocks;
    }
  }
  return grouped_same(best);
}

// The walk as the queue asks it: what one lane finds all get.
template <int kRows, int kCols>
class ListPlaces {
 public:
  __device__ __forceinline__ explicit ListPlaces(const ListWgmmaWork &work) : walk_(work.shapes) {}
  __device__ __forceinline__ bool find(const ListWgmmaWork &work, uint32_t number, ListPlace *place) {
    __shared__ ListPlace found;
    walk_.find(work.shapes, number, &found);
    __syncwarp();
    *place = grouped_same(found);
    __syncwarp();  // before it is written again
    return place->exists();
  }
  __device__ __forceinline__ uint32_t seen() const { return walk_.seen(); }

 private:
  ListWalk<ListShapes, kRows, kCols> walk_;
};

template <class Tile>
__device__ __forceinline__ void list_finish(const ListWgmmaWork &work, const GemmEpilogue<float> &epilogue,
                                            WgmmaPanels<Tile> &panels, const float (&sums)[Tile::kSums],
                                            const ListPlace &at, int32_t row) {
  if (at.x.by_panels != 0) {
    const float alpha = at.x.k == 0 ? 0 : work.alpha;  // an empty sum has no factor, not even an infinite one
    return grouped_store_panels<Tile>(work.maps[at.product].d, panels, sums, alpha, epilogue.d.dtype == GPUOPT_F32, row,
                                      at.col, at.x.n, true, [](const char *, int32_t) {});
  }
  panels.drain();  // what the accelerator still reads is not written over
  barrier_sync(kStoreBarrier + static_cast<int>(threadIdx.x) / 128, 128);
  const ListResult &to = work.results[at.product];
  const View c = {const_cast<void *>(to.c), 0, to.c_row, to.c_col, epilogue.c.dtype};
  const View d = {to.d, 0, to.d_row, 1, epilogue.d.dtype};
#pragma unroll
  for (int i = 0; i < Tile::kSums / 16; ++i) {
    if (at.col + i * 32 < at.x.n)
      grouped_store_lines<Tile>(
          panels, sums + i * 16, at.product, row, at.x.m, at.col + i * 32, at.x.n,
          [&](const Run &run, const float(&sum)[1]) { gemm_epilogue(epilogue, c, d, at.x.k == 0, run, sum); });
  }
}

// All that a block does with tiles of one width.
template <class Tile, bool kAlongB>
__device__ __forceinline__ void list_tiles(char *shared, const ListWgmmaWork &work,
                                           const GemmEpilogue<float> &epilogue) {
  WgmmaRing<Tile> ring(shared, shared + Tile::kBarriers, false);
  const int half = static_cast<int>(threadIdx.x) / 128;
  if (threadIdx.x == 0) ring.init();
  __syncthreads();
  ListPlace at;
  GroupedQueue<Tile, ListPlace> queue(shared + Tile::kLines);
  int32_t acquired = -1;  // the product whose maps this thread may use
  if (half == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Tile::kCopyRegisters));
    if (threadIdx.x >= Tile::kMathThreads + 32) return;
    queue.template produce<ListPlaces<Tile::kM, Tile::kN>>(work, ring, [&](const ListPlace &tile) {
      const ListMaps &maps = work.maps[static_cast<uint32_t>(tile.product)];
      if (tile.product != acquired) {
        acquire_map(maps.a);
        acquire_map(maps.b);
        acquired = tile.product;
      }
      int32_t depth = tile.x.k == 0 ? Tile::kDepth : 0;
      do {
        grouped_copy<Tile, kAlongB>(maps.a, maps.b, ring, tile.row, tile.x.m, tile.col, tile.x.n, depth, 0);
        depth += Tile::kDepth;
      } while (depth < tile.x.k);
    });
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Tile::kMathRegisters));
  WgmmaPanels<Tile> panels(shared + Tile::kStageBytes * Tile::kStages, half);
  typename Tile::Sum sums[Tile::kBlocks][Tile::kSums];
  while (queue.take(ring, &at)) {
    const int32_t upper = half * Tile::kGroupRows, row = at.row + upper, stages = list_stages<Tile>(at.x.k);
    if (row >= at.x.m) {
      barrier_sync(kStoreBarrier + half, 128);  // all have seen the stage that one warp now frees
      wgmma_pass_over(ring, stages);
      continue;
    }
    wgmma_adding_loop<Tile>(sums, ring, stages, static_cast<uint32_t>(upper * 128),
                            [&](bool adds, auto &to, WgmmaFrom from) {
                              wgmma_stage<Tile, true, kAlongB, Tile::kBlocks, Tile::kN>(to, from, adds);
                            });
    panels.begin();
    if (at.x.by_panels != 0 && at.product != acquired && threadIdx.x % 128 == 0) {
      acquire_map(work.maps[at.product].d);
      acquired = at.product;
    }
#pragma unroll
    for (int i = 0; i < Tile::kBlocks; ++i) {
      if (row + i * 64 < at.x.m) list_finish<Tile>(work, epilogue, panels, sums[i], at, row + i * 64);
    }
  }
  panels.drain();
}

template <template <int> class Tile, bool kAlongB>
__global__ void __launch_bounds__(Tile<kGroupedWidest>::kThreads, 1)
    gemm_grouped_wgmma_list_kernel(const __grid_constant__ ListWgmmaWork work,
                                   const __grid_constant__ GemmEpilogue<float> epilogue) {
#if __CUDA_ARCH__ >= 900
  char *const shared = grouped_shared();
  wait_for_stream();
  const int width = list_width<Tile<kGroupedWidest>>(work);
  if (width == 0)
    list_tiles<Tile<grouped_columns(0)>, kAlongB>(shared, work, epilogue);
  else if (width == 1)
    list_tiles<Tile<grouped_columns(1)>, kAlongB>(shared, work, epilogue);
  else
    list_tiles<Tile<grouped_columns(2)>, kAlongB>(shared, work, epilogue);
#endif
}

}  // namespace gpuopt
