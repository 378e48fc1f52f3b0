// The kernel for few rows or columns, as the host names it: wgmma_skinny_kernel.cuh has its code.
#pragma once

#include "gemm/wgmma/wgmma_results.h"
#include "gemm/wgmma/wgmma_skinny_tile.cuh"

namespace gpuopt {

struct WgmmaSkinny {
  int32_t many, few, k;  // extents
  int32_t tiles_many, tiles_few, log_ranks;
  int32_t lines;        // of the many that a tile has, of the instruction's: then every multiprocessor has as many
  int32_t prefetching;  // the first so many blocks, which may be up before they may read
  bool batched_many, batched_few;  // false: one matrix for all
  bool few_are_rows;               // of D
  // Of a block's ring; what comes into one: of the few no more lines than there are, where they are one tile. The accelerator
  // takes longer for a line beyond the matrix than for one that exists; nobody reads the sums of what lies there instead.
  // slot_bytes: a stage's; ring_bytes: all of them, and what the instruction reads behind the last where lines are fewer.
  int32_t stages, stage_bytes, slot_bytes, ring_bytes;
};

template <class Tile, bool kAlongMany>
__global__ void gemm_wgmma_skinny_kernel(const __grid_constant__ CUtensorMap map_many,
                                         const __grid_constant__ CUtensorMap map_few,
                                         const __grid_constant__ WgmmaSkinny g,
                                         const __grid_constant__ WgmmaStore store);

// X(Many, Few, M, N) for the tiles of kWgmmaSkinnyShapes that 8-bit operands have, and for those of 16 bits.
#define GPUOPT_WGMMA_SKINNY_SHAPES(X, many, few) \
  X(many, few, 64, 8)                            \
  X(many, few, 64, 16)                           \
  X(many, few, 64, 32) X(many, few, 64, 64) X(many, few, 128, 32) X(many, few, 128, 64) X(many, few, 64, 128)
#define GPUOPT_WGMMA_SKINNY_16BIT_SHAPES(X, many, few) GPUOPT_WGMMA_SKINNY_SHAPES(X, many, few) X(many, few, 128, 128)

// Compiles it for a tile, where wgmma_skinny_kernel.cuh is read.
#define GPUOPT_WGMMA_SKINNY_INSTANCE(along_many, ...)                                                                \
  template __global__ void gemm_wgmma_skinny_kernel<__VA_ARGS__, along_many>(                                        \
      const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap, const __grid_constant__ WgmmaSkinny, \
      const __grid_constant__ WgmmaStore);

}  // namespace gpuopt
