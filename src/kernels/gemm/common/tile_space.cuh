// Which tile of D is whose.
#pragma once

#include "common/index.cuh"

namespace gpuopt {

// A batch of m x n matrices cut into tiles, numbered along a one-dimensional grid: grid.y and grid.z end at
// 65535, grid.x at 2^31 - 1. Blocks walk on by the grid's size, so any count is covered. The tiles of a
// stripe of stripe_rows tile rows follow each other column by column, so that blocks running together share
// what they read.
struct TileSpace {
  int64_t tiles_m, tiles_n, total;
  int32_t stripe_rows;

  struct Tile {
    int64_t p, row, col;  // matrix of the batch, tile row, tile column
  };

  __host__ __device__ TileSpace(int64_t m, int64_t n, int64_t batch, int64_t tile_m, int64_t tile_n,
                                int32_t rows_of_stripe = 1)
      : tiles_m(ceil_div(m, tile_m)),
        tiles_n(ceil_div(n, tile_n)),
        total(tiles_m * tiles_n * batch),
        stripe_rows(rows_of_stripe) {}

  uint32_t blocks() const { return static_cast<uint32_t>(total < 0x7fffffff ? total : 0x7fffffff); }

  __host__ __device__ Tile tile(int64_t index) const {
    const int64_t per_matrix = tiles_m * tiles_n;
    const int64_t p = index / per_matrix;
    index -= p * per_matrix;
    const int64_t per_stripe = stripe_rows * tiles_n;
    const int64_t first_row = index / per_stripe * stripe_rows;
    index %= per_stripe;
    const int64_t rows = tiles_m - first_row < stripe_rows ? tiles_m - first_row : stripe_rows;
    return {p, first_row + index % rows, index / rows};
  }
};

}  // namespace gpuopt
