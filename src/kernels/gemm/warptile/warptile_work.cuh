// Which block computes what in the warptile kernels. A tile of D costs k_tiles units, one for each kDepth steps of k.
// The first `streamed` tiles are dealt out as one line of units in equal parts to stream_blocks blocks (stream-K;
// split-K is the case of a whole number of blocks a tile), every tile after those goes to one block (data-parallel).
//
// A block that has only a part of a tile leaves its sums in a slot of scratch memory and takes a ticket of the tile;
// the last to come adds all parts in order of k. So nobody waits, and the bits do not depend on who is last.
#pragma once

#include <cstdint>

namespace gpuopt {

struct WarptileWork {
  uint32_t tiles_m, tiles_n, tiles;  // tiles: of the whole batch
  uint32_t stripe;                   // tile rows whose tiles follow each other column by column, to share what L2 holds
  uint32_t k_tiles;                  // at least 1
  uint32_t streamed, stream_blocks;
  uint32_t slots;  // of a streaming block: 1 where no block works on two tiles

  __host__ __device__ uint32_t blocks() const { return stream_blocks + tiles - streamed; }
  __host__ __device__ uint64_t units() const { return uint64_t{streamed} * k_tiles; }
  // Streaming block b has the units [first_unit(b), first_unit(b + 1)).
  __host__ __device__ uint64_t first_unit(uint32_t b) const { return b * units() / stream_blocks; }
  __host__ __device__ uint32_t block_of(uint64_t unit) const {
    return static_cast<uint32_t>(((unit + 1) * stream_blocks - 1) / units());
  }
  // The slot of block b's part of a tile that begins at tile_unit.
  __host__ __device__ uint32_t slot(uint32_t b, uint64_t tile_unit) const {
    return b * slots + (slots == 2 && first_unit(b) < tile_unit ? 1 : 0);
  }

  struct Tile {
    uint32_t p, row, col;
  };
  __host__ __device__ Tile tile(uint32_t index) const {
    const uint32_t per_matrix = tiles_m * tiles_n;
    const uint32_t p = tiles == per_matrix ? 0 : index / per_matrix;
    index -= p * per_matrix;
    const uint32_t per_stripe = stripe * tiles_n;
    const uint32_t first_row = index / per_stripe * stripe;
    index %= per_stripe;
    const uint32_t rows = tiles_m - first_row < stripe ? tiles_m - first_row : stripe;
    const uint32_t col = index / rows;
    return {p, first_row + index - col * rows, col};
  }
};

}  // namespace gpuopt
