// A tile that is read by elements and written in aligned vectors of 16 bytes, whatever the alignment of the matrices.
//
// With an odd leading dimension every row of the result begins somewhere else within its 16 bytes. So each of these
// rows is cut where its own memory is aligned, up to a vector's elements before the tile's first source row: the
// tile reads as many source rows more, and no vector of the result is written by two blocks in parts (but at the
// ends of the rows). An element goes to its place in the transposed tile while it is stored to shared memory, which
// costs one addition: the shift of its result row. Positions are swizzled by XOR with the row's number: rows
// follow each other with different shifts, which spreads kSide of them over the banks, and the XOR spreads the rest.
#ifndef GPUOPT_KERNELS_TRANSPOSE_REALIGNED_TILE_CUH
#define GPUOPT_KERNELS_TRANSPOSE_REALIGNED_TILE_CUH

#include "tile_grid.cuh"

namespace gpuopt {

template <int kBytes, int kRows, int kCols, int kThreads>
struct RealignedTile {
  static constexpr int kSide = 16 / kBytes;       // elements of a vector
  static constexpr int kOverlap = kSide - 1;      // source rows before the tile that its result rows may begin with
  static constexpr int kVectors = kRows / kSide;  // of a row of the result
  static constexpr int kKeys = kVectors < 8 ? kVectors : 8;
  static constexpr int kSmem = kRows * kCols * kBytes;
  static constexpr int kWarps = kThreads / 32, kWarpCols = kCols / 32;
  static constexpr int kTileRows = kRows, kTileCols = kCols, kTileThreads = kThreads;
  static_assert(kThreads % 32 == 0 && kCols % 32 == 0 && kRows % kSide == 0, "whole warps and vectors");

  // The column in the transposed tile's row where its element e lies.
  __device__ static __forceinline__ int swizzled(int row, int e) { return e ^ (row / 4 % kKeys * kSide); }
};

template <int kBytes, int kRows, int kCols, int kThreads>
__global__ void __launch_bounds__(kThreads) transpose_realigned_kernel(View src, View dst, TileGrid grid) {
  using Tile = RealignedTile<kBytes, kRows, kCols, kThreads>;
  constexpr int kSide = Tile::kSide, kWarpCols = Tile::kWarpCols;
  extern __shared__ uint4 smem[];
  Word<kBytes> *tile = reinterpret_cast<Word<kBytes> *>(smem);
  const TileGrid::Tile at = grid.tile();
  const int64_t i0 = at.row * kRows, j0 = at.col * kCols;
  const Word<kBytes> *from = matrix_of<kBytes>(src, at.p) + i0 * src.row_step + j0;
  Word<kBytes> *to = output_of<kBytes>(dst, at.p) + j0 * dst.row_step + i0;
  // How many elements row j of the tile's result reaches back to be aligned.
  const uint32_t first = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(to) / kBytes);
  const uint32_t step = static_cast<uint32_t>(dst.row_step);
  const auto shift = [&](int j) { return static_cast<int>((first + static_cast<uint32_t>(j) * step) % kSide); };
  // The tile's rows of the source, counted from i0.
  const int low = i0 == 0 ? 0 : -Tile::kOverlap;
  const int high = static_cast<int>(grid.m - i0 < kRows ? grid.m - i0 : kRows);
  const int cols = static_cast<int>(grid.n - j0 < kCols ? grid.n - j0 : kCols);

  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int kBatch = 8 / kWarpCols > 2 ? 8 / kWarpCols : 2;  // rows on their way at a time
  int column[kWarpCols], forward[kWarpCols];
#pragma unroll
  for (int c = 0; c < kWarpCols; ++c) {
    column[c] = lane + c * 32;
    forward[c] = shift(column[c]);
  }
  for (int i = low + warp; i < high; i += kBatch * Tile::kWarps) {
    Word<kBytes> value[kBatch][kWarpCols];
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      const int row = i + b * Tile::kWarps;
#pragma unroll
      for (int c = 0; c < kWarpCols; ++c) {
        if (row < high && column[c] < cols) value[b][c] = from[row * src.row_step + column[c]];
      }
    }
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
#pragma unroll
      for (int c = 0; c < kWarpCols; ++c) {
        const int e = i + b * Tile::kWarps + forward[c];
        if (e >= 0 && e < kRows) tile[column[c] * kRows + Tile::swizzled(column[c], e)] = value[b][c];
      }
    }
  }
  __syncthreads();

  for (int v = static_cast<int>(threadIdx.x); v < cols * Tile::kVectors; v += kThreads) {
    const int j = v / Tile::kVectors, e = v % Tile::kVectors * kSide;
    const int i = e - shift(j);
    const Word<kBytes> *vector = tile + j * kRows + Tile::swizzled(j, e);
    Word<kBytes> *out = to + j * dst.row_step + i;
    if (i >= low && i + kSide <= high) {
      *reinterpret_cast<uint4 *>(out) = *reinterpret_cast<const uint4 *>(vector);
    } else {
#pragma unroll
      for (int k = 0; k < kSide; ++k) {
        if (i + k >= low && i + k < high) out[k] = vector[k];
      }
    }
  }
}

}  // namespace gpuopt

#endif
