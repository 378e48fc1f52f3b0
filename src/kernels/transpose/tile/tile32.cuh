// The 32 x 32 tile in shared memory, with three answers to its bank conflicts: none, a column of padding, an XOR of
// the column with the row. The rungs transpose_tiled, transpose_padded and transpose_swizzled are this code with
// one of them each.
//
// A block of 32 x 8 threads reads a tile row by row (a warp reads 32 neighbours), stores it in shared memory, and
// writes the transposed tile row by row, reading shared memory down its columns. In place, a block owns a tile and
// its mirror image, reads both, then writes both.
#pragma once

#include "transpose/common/tile_grid.cuh"

namespace gpuopt {

constexpr int kTile = 32, kTileRows = 8;  // threads: 32 across, 8 down, so each moves 4 elements
constexpr int kTileThreads = kTile * kTileRows;

enum class TileLayout { plain, padded, swizzled };

template <int kBytes, TileLayout kLayout>
struct Tile32 {
  static constexpr int kPitch = kLayout == TileLayout::padded ? kTile + 1 : kTile;
  Word<kBytes> words[kTile * kPitch];

  __device__ __forceinline__ Word<kBytes> &at(int row, int col) {
    return words[row * kPitch + (kLayout == TileLayout::swizzled ? col ^ row : col)];
  }
};

// Reads the tile whose first element is (i0, j0), as far as it lies within m x n.
template <int kBytes, TileLayout kLayout>
__device__ __forceinline__ void read_tile(Tile32<kBytes, kLayout> &tile, const Word<kBytes> *src, int64_t ld,
                                          int64_t i0, int64_t j0, int64_t m, int64_t n) {
  const int64_t j = j0 + threadIdx.x;
  if (j >= n) return;
  src += (i0 + threadIdx.y) * ld + j;
#pragma unroll
  for (int row = 0; row < kTile; row += kTileRows) {
    if (i0 + threadIdx.y + row < m) tile.at(threadIdx.y + row, threadIdx.x) = src[row * ld];
  }
}

// Writes the transposed tile: its element (j, i), counted from (j0, i0), comes from (i, j) of the tile.
template <int kBytes, TileLayout kLayout>
__device__ __forceinline__ void write_transposed(Tile32<kBytes, kLayout> &tile, Word<kBytes> *dst, int64_t ld,
                                                 int64_t i0, int64_t j0, int64_t m, int64_t n) {
  const int64_t i = i0 + threadIdx.x;
  if (i >= m) return;
  dst += (j0 + threadIdx.y) * ld + i;
#pragma unroll
  for (int row = 0; row < kTile; row += kTileRows) {
    if (j0 + threadIdx.y + row < n) dst[row * ld] = tile.at(threadIdx.x, threadIdx.y + row);
  }
}

template <int kBytes, TileLayout kLayout>
__global__ void __launch_bounds__(kTileThreads) transpose_tile32_kernel(View src, View dst, TileGrid grid) {
  __shared__ Tile32<kBytes, kLayout> tile;
  const TileGrid::Tile at = grid.tile();
  wait_for_stream();
  const int64_t i0 = at.row * kTile, j0 = at.col * kTile;
  read_tile(tile, matrix_of<kBytes>(src, at.p), src.row_step, i0, j0, grid.m, grid.n);
  __syncthreads();
  write_transposed(tile, output_of<kBytes>(dst, at.p), dst.row_step, i0, j0, grid.m, grid.n);
}

template <int kBytes, TileLayout kLayout>
__global__ void __launch_bounds__(kTileThreads) transpose_tile32_in_place_kernel(View, View matrix, TileGrid grid) {
  __shared__ Tile32<kBytes, kLayout> above, below;
  const TileGrid::Tile at = grid.tile();
  wait_for_stream();
  if (at.row > at.col) return;  // the block of the mirror image does both
  const int64_t i0 = at.row * kTile, j0 = at.col * kTile;
  Word<kBytes> *data = output_of<kBytes>(matrix, at.p);
  read_tile(above, data, matrix.row_step, i0, j0, grid.m, grid.n);
  if (i0 != j0) read_tile(below, data, matrix.row_step, j0, i0, grid.m, grid.n);
  __syncthreads();
  write_transposed(above, data, matrix.row_step, i0, j0, grid.m, grid.n);
  if (i0 != j0) write_transposed(below, data, matrix.row_step, j0, i0, grid.m, grid.n);
}

namespace {

template <TileLayout kLayout, const char *kName>
gpuopt_status launch_tile32(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return launch_tiles(kName, *problem, launch, problem->m, kTile, kTile, dim3(kTile, kTileRows), 0,
                        problem->features & GPUOPT_FEATURE_IN_PLACE ? transpose_tile32_in_place_kernel<kBytes, kLayout>
                                                                    : transpose_tile32_kernel<kBytes, kLayout>);
  });
}

template <TileLayout kLayout, const char *kName>
gpuopt_status prepare_tile32(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return problem->features & GPUOPT_FEATURE_IN_PLACE
               ? load_kernel(launch, kName, transpose_tile32_in_place_kernel<kBytes, kLayout>)
               : load_kernel(launch, kName, transpose_tile32_kernel<kBytes, kLayout>);
  });
}

#define GPUOPT_TILE32_RESOURCES(kBytes, kLayout)                                                       \
  {kTileThreads, 0, reinterpret_cast<const void *>(transpose_tile32_kernel<kBytes, kLayout>)}, {       \
    kTileThreads, 0, reinterpret_cast<const void *>(transpose_tile32_in_place_kernel<kBytes, kLayout>) \
  }

template <TileLayout kLayout>
gpuopt_resource tile32_resources[] = {GPUOPT_TILE32_RESOURCES(1, kLayout), GPUOPT_TILE32_RESOURCES(2, kLayout),
                                      GPUOPT_TILE32_RESOURCES(4, kLayout), GPUOPT_TILE32_RESOURCES(8, kLayout),
                                      GPUOPT_TILE32_RESOURCES(16, kLayout)};

// The descriptor of the layout's kernel; it is a rung unless predict_us is given.
template <TileLayout kLayout, const char *kName>
constexpr gpuopt_kernel tile32_descriptor(const char *summary,
                                          decltype(gpuopt_kernel::predict_us) predict_us = nullptr) {
  gpuopt_kernel k = transpose_kernel(kName, summary, kViewFeatures | GPUOPT_FEATURE_IN_PLACE);
  if (predict_us == nullptr) k.flags = GPUOPT_KERNEL_TEACHING;
  set_functions(k, predict_us, prepare_tile32<kLayout, kName>, launch_tile32<kLayout, kName>,
                tile32_resources<kLayout>);
  return k;
}

}  // namespace
}  // namespace gpuopt
