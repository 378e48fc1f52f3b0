// The schedule of persistent fp64 blocks.
//
// Tiles are handed out in waves of one a block. Where the last wave would be partly empty its tiles are cut along k
// into equal ranges, one a block, which go over the ends of tiles; pieces of tiles go to scratch, and a second kernel
// adds them in the order of k. Who computes what follows from the problem and the number of blocks, so sums have the
// same bits always.
#pragma once

#include "gemm/f64/f64_dmma.cuh"

namespace gpuopt {

// The cut of the last tiles: steps of k of all of them, in order.
struct F64Tail {
  int64_t steps_a_tile, steps, blocks;

  __device__ __forceinline__ explicit F64Tail(const F64Gemm &gemm)
      : steps_a_tile((gemm.k + kF64Depth - 1) / kF64Depth),
        steps((gemm.tiles.total - gemm.whole) * steps_a_tile),
        blocks(gemm.tail_blocks) {}
  __device__ __forceinline__ int64_t first(int64_t block) const { return block * steps / blocks; }
  __device__ __forceinline__ int64_t owner(int64_t step) const { return ((step + 1) * blocks - 1) / steps; }
  // A block's range has at most two pieces.
  __device__ __forceinline__ int64_t slot(int64_t block, int64_t tile) const {
    return 2 * block + (first(block) / steps_a_tile != tile);
  }
};

// The n-th work of this block, or false. slot: of the scratch that takes the sums, or -1: the work is a whole tile.
template <class Tile>
__device__ __forceinline__ bool f64_work(const F64Gemm &gemm, int n, F64Work &work, int64_t &slot) {
  const int64_t index = blockIdx.x + int64_t{n} * gridDim.x;
  slot = -1;
  if (index < gemm.whole) {
    work.begin(gemm, index, Tile::kBM, Tile::kBN);
    return true;
  }
  if (blockIdx.x >= gemm.tail_blocks) return false;
  const F64Tail tail(gemm);
  const int64_t end = tail.first(blockIdx.x + 1);
  int64_t from = tail.first(blockIdx.x), tile = from / tail.steps_a_tile;
  if (index - gridDim.x >= gemm.whole) from = ++tile * tail.steps_a_tile;  // the second piece
  if (index - 2 * int64_t{gridDim.x} >= gemm.whole || from >= end) return false;
  const int64_t skipped = from - tile * tail.steps_a_tile, steps = min(tail.steps_a_tile - skipped, end - from);
  work.begin(gemm, gemm.whole + tile, Tile::kBM, Tile::kBN);
  work.k_begin += skipped * kF64Depth;
  work.limit(static_cast<int>(min(work.depth - skipped * kF64Depth, steps * kF64Depth)));
  if (steps < tail.steps_a_tile) slot = tail.slot(blockIdx.x, tile);
  return true;
}

// Adds the pieces of the last tiles: a block for kF64TailRows rows of one tile of D, two neighbours a thread at a time.
constexpr int kF64TailThreads = 256, kF64TailRows = 8;

template <class Tile>
__global__ void __launch_bounds__(kF64TailThreads) gemm_f64_tail_kernel(const __grid_constant__ F64Gemm gemm) {
  static_assert(Tile::kBM == Tile::kBN, "D's tile is the same transposed");
  constexpr int kTile = Tile::kBM, kPairs = kF64TailRows * kTile / 2;
  const F64Tail tail(gemm);
  const int64_t tile = blockIdx.x / (kTile / kF64TailRows);
  const int first_row = static_cast<int>(blockIdx.x % (kTile / kF64TailRows)) * kF64TailRows;
  const int64_t begin = tile * tail.steps_a_tile, end = begin + tail.steps_a_tile;
  const int64_t from = tail.owner(begin), to = tail.owner(end - 1);
  if (from == to && tail.first(from) <= begin && tail.first(from + 1) >= end) return;  // computed whole
  const TileSpace::Tile at = gemm.tiles.tile(gemm.whole + tile);
  const F64Store d(gemm, at.p, 0);
#pragma unroll 1
  for (int pair = static_cast<int>(threadIdx.x); pair < kPairs; pair += kF64TailThreads) {
    const int row = first_row + pair / (kTile / 2), col = pair % (kTile / 2) * 2;
    double2 sum = {0, 0};
#pragma unroll 4
    for (int64_t block = from; block <= to; ++block) {
      const double *piece = gemm.tail + tail.slot(block, tile) * (kTile * kTile) + row * kTile + col;
      const double2 x = *reinterpret_cast<const double2 *>(piece);
      sum.x += x.x;
      sum.y += x.y;
    }
    d.two(at.row * kTile + row, at.col * kTile + col, sum.x, sum.y);
  }
}

}  // namespace gpuopt
