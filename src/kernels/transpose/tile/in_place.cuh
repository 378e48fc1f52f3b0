// A square matrix transposed in its own memory: a block owns a tile and its mirror image.
//
// Data movement: vector_tile.cuh, twice: the block reads both tiles into shared memory, then writes each where the other
// was. Tiles on the diagonal are their own mirror images. The grid holds the pairs only: rows r and t - 1 - r of the
// triangle of t tile rows have t + 1 pairs together, so pairs are numbered as a rectangle of ceil(t / 2) rows.
#pragma once

#include "transpose/tile/vector_tile.cuh"

namespace gpuopt {

template <int kBytes>
using InPlaceTile =
    BySize<kBytes, VectorTile<1, 8, 128, 128, 256>, VectorTile<2, 8, 128, 128, 512>, VectorTile<4, 8, 64, 64, 512>,
           VectorTile<8, 8, 32, 32, 512>, VectorTile<16, 16, 16, 16, 256>>;

// Pairs of tiles of a batch of n x n matrices.
struct PairGrid {
  int64_t n, tiles;
  Divider per_matrix, per_row;
};

template <int kBytes>
__global__ void __launch_bounds__(InPlaceTile<kBytes>::kTileThreads, kBytes == 2 ? 2 : 1)
    transpose_in_place_kernel(View matrix, PairGrid grid) {
  using Tile = InPlaceTile<kBytes>;
  constexpr int kSize = Tile::kTileRows;
  static_assert(Tile::kTileCols == kSize, "a tile's mirror image has its shape");
  extern __shared__ uint4 smem[];
  typename Tile::Access *above = reinterpret_cast<typename Tile::Access *>(smem);
  typename Tile::Access *below = above + Tile::kSmem / sizeof(typename Tile::Access);
  wait_for_stream();
  int64_t in_matrix, col;
  const int64_t p = grid.per_matrix.divide(blockIdx.x, in_matrix);
  int64_t row = grid.per_row.divide(in_matrix, col);
  col += row;
  if (col >= grid.tiles) {  // past the end of this row: the pair belongs to its partner
    const int64_t partner = grid.tiles - 1 - row;
    if (partner == row) return;  // the middle row of an odd number has none
    col = col - grid.tiles + partner;
    row = partner;
  }
  const int64_t i0 = row * kSize, j0 = col * kSize, ld = matrix.row_step;
  Word<kBytes> *data = output_of<kBytes>(matrix, p);
  Word<kBytes> *first = data + i0 * ld + j0, *second = data + j0 * ld + i0;
  const bool twice = row != col;
  if (j0 + kSize <= grid.n) {
    Tile::read(above, first, ld);
    if (twice) Tile::read(below, second, ld);
    __syncthreads();
    Tile::write(second, ld, above);
    if (twice) Tile::write(first, ld, below);
  } else {
    const int cols = static_cast<int>(grid.n - j0), rows = twice ? kSize : cols;
    Tile::read_edge(above, first, ld, rows, cols);
    if (twice) Tile::read_edge(below, second, ld, cols, rows);
    __syncthreads();
    Tile::write_edge(second, ld, above, rows, cols);
    if (twice) Tile::write_edge(first, ld, below, cols, rows);
  }
}

inline int64_t pairs_of_tiles(const gpuopt_problem &problem, int64_t tiles) {
  return (tiles + 1) / 2 * (tiles + 1) * problem.batch;
}

}  // namespace gpuopt
