// A tile of kSize x kSize elements that is read and written by elements, a row of it by consecutive threads: wider
// than a warp, so that both sides touch runs of kSize elements, and each thread moves many. Padded by one element a
// row against bank conflicts.
#ifndef GPUOPT_KERNELS_TRANSPOSE_ELEMENT_TILE_CUH
#define GPUOPT_KERNELS_TRANSPOSE_ELEMENT_TILE_CUH

#include "tile_grid.cuh"

namespace gpuopt {

template <int kBytes, int kSize, int kThreads>
__global__ void __launch_bounds__(kThreads) transpose_element_kernel(View src, View dst, TileGrid grid) {
  extern __shared__ uint4 smem[];
  Word<kBytes> *tile = reinterpret_cast<Word<kBytes> *>(smem);
  constexpr int kPitch = kSize + 1, kRowsAtOnce = kThreads / kSize;
  const TileGrid::Tile at = grid.tile();
  wait_for_stream();
  const int64_t i0 = at.row * kSize, j0 = at.col * kSize;
  const int across = static_cast<int>(threadIdx.x) % kSize, down = static_cast<int>(threadIdx.x) / kSize;
  const int64_t rows = grid.m - i0, cols = grid.n - j0;  // of the tile, where below kSize

  const Word<kBytes> *from = matrix_of<kBytes>(src, at.p) + (i0 + down) * src.row_step + j0 + across;
  Word<kBytes> value[kSize / kRowsAtOnce];
#pragma unroll
  for (int r = 0; r < kSize; r += kRowsAtOnce) {
    if (across < cols && down + r < rows) value[r / kRowsAtOnce] = from[r * src.row_step];
  }
#pragma unroll
  for (int r = 0; r < kSize; r += kRowsAtOnce) tile[(down + r) * kPitch + across] = value[r / kRowsAtOnce];
  __syncthreads();

  Word<kBytes> *to = output_of<kBytes>(dst, at.p) + (j0 + down) * dst.row_step + i0 + across;
#pragma unroll
  for (int r = 0; r < kSize; r += kRowsAtOnce) {
    if (across < rows && down + r < cols) to[r * dst.row_step] = tile[across * kPitch + down + r];
  }
}

}  // namespace gpuopt

#endif
