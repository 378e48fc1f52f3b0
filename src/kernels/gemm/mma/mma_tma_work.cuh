// Who computes what in the mma.sync kernels with persistent blocks: tiles in turn, and the last ones in pieces.
//
// Tiles go to the blocks in waves of one each. Where the last wave would leave many blocks idle its tiles are cut along
// k into equal ranges, one a block, which run on over the ends of tiles. Pieces of tiles go to scratch, in the order of
// the threads that hold the sums, and a second kernel adds those of a tile in the order of k. All of that follows from
// the problem and the number of blocks, so sums have the same bits always.
#pragma once

#include "gemm/mma/mma_warp.cuh"

namespace gpuopt {

struct MmaTmaGemm : MmaGemm {
  uint32_t tiles, whole;             // of all matrices; those computed whole, a multiple of the blocks unless it is all
  uint32_t tail_share, tail_longer;  // MmaTail: of the others; both 0 where there are none
  float *pieces;                     // scratch for their sums
};

// Where a tile lies: down stripes of kStripe rows, so that blocks running together share rows and columns.
template <class Tile>
struct MmaTilePlace {
  int32_t p, row, col;

  __device__ __forceinline__ MmaTilePlace(const MmaGemm &gemm, uint32_t index) {
    constexpr uint32_t kStripe = Tile::kStripe;
    const uint32_t tiles_m = static_cast<uint32_t>(gemm.tiles_m), tiles_n = static_cast<uint32_t>(gemm.tiles_n);
    const uint32_t matrix = index / (tiles_m * tiles_n), tile = index - matrix * (tiles_m * tiles_n);
    const uint32_t per_stripe = kStripe * tiles_n, stripe = tile / per_stripe;
    const uint32_t rows = min(tiles_m - stripe * kStripe, kStripe), in_stripe = tile - stripe * per_stripe;
    const uint32_t column = in_stripe / rows;
    p = static_cast<int32_t>(matrix);
    row = static_cast<int32_t>((stripe * kStripe + in_stripe - column * rows) * Tile::kM);
    col = static_cast<int32_t>(column * Tile::kN);
  }
};

// The cut of the tiles from gemm.whole on: stages of k of all of them, in order.
template <class Tile>
struct MmaTail {
  uint32_t stages_a_tile, share, longer;  // so many stages a block, and one more for so many blocks

  __device__ __forceinline__ MmaTail(const MmaTmaGemm &gemm)
      : stages_a_tile((static_cast<uint32_t>(gemm.k) + Tile::kDepth - 1) / Tile::kDepth),
        share(gemm.tail_share),
        longer(gemm.tail_longer) {}
  __device__ __forceinline__ uint32_t first(uint32_t block) const { return block * share + min(block, longer); }
  __device__ __forceinline__ uint32_t owner(uint32_t stage) const {
    const uint32_t long_ones = longer * (share + 1);
    return stage < long_ones ? stage / (share + 1) : longer + (stage - long_ones) / share;
  }
  // Pieces in order: one more begins with each block and with each tile.
  __device__ __forceinline__ uint32_t slot(uint32_t block, uint32_t tile) const { return block + tile; }
};

// A block's n-th work.
template <class Tile>
struct MmaTmaWork {
  uint32_t tile;
  int32_t first, count;  // stages of k
  int32_t slot;          // of gemm.pieces; -1: the tile is whole

  // False: there is no n-th.
  __device__ __forceinline__ bool begin(const MmaTmaGemm &gemm, uint32_t n) {
    const MmaTail<Tile> tail(gemm);
    const uint32_t index = blockIdx.x + n * gridDim.x, waves = gemm.whole / gridDim.x;
    slot = -1;
    if (index < gemm.whole) {
      tile = index;
      first = 0;
      count = static_cast<int32_t>(tail.stages_a_tile);
      return true;
    }
    if (gemm.whole == gemm.tiles || n > waves + 1) return false;
    const uint32_t end = tail.first(blockIdx.x + 1);
    uint32_t from = tail.first(blockIdx.x), in_tail = from / tail.stages_a_tile;
    if (n > waves) from = ++in_tail * tail.stages_a_tile;  // the second piece
    if (from >= end) return false;
    tile = gemm.whole + in_tail;
    first = static_cast<int32_t>(from - in_tail * tail.stages_a_tile);
    count = static_cast<int32_t>(min(tail.stages_a_tile - static_cast<uint32_t>(first), end - from));
    if (count < static_cast<int32_t>(tail.stages_a_tile)) slot = static_cast<int32_t>(tail.slot(blockIdx.x, in_tail));
    return true;
  }
};

// A piece to scratch: run after run, each of all threads.
template <class Tile, class Warp>
__device__ __forceinline__ void mma_store_piece(float *piece, const Warp &warp) {
  Pack<float, 4> *const to = reinterpret_cast<Pack<float, 4> *>(piece) + threadIdx.x;
  constexpr int kOfRow = 2 * Warp::kBlocksN;
  for_each_run<Warp::kBlocksM, kOfRow>([&](int i, int run) {
    Pack<float, 4> x;
    warp.run(x.v, threadIdx.x % 32, i, run / 2, run % 2);
    to[(i * kOfRow + run) * Tile::kThreads] = x;
  });
}

// Adds the pieces: a block for one run of each thread of one tile.
template <class Tile, class Warp>
__global__ void __launch_bounds__(Tile::kThreads) gemm_mma_tail_kernel(const __grid_constant__ MmaTmaGemm gemm) {
  constexpr int kOfRow = 2 * Warp::kBlocksN;
  const MmaTail<Tile> tail(gemm);
  const uint32_t tile = blockIdx.x / Tile::kRuns;
  const int run = static_cast<int>(blockIdx.x % Tile::kRuns);
  const uint32_t begin = tile * tail.stages_a_tile, end = begin + tail.stages_a_tile;
  const uint32_t from = tail.owner(begin), to = tail.owner(end - 1);
  if (from == to) return;  // computed whole
  const Pack<float, 4> *piece = reinterpret_cast<const Pack<float, 4> *>(gemm.pieces) +
                                (int64_t{tail.slot(from, tile)} * Tile::kRuns + run) * Tile::kThreads + threadIdx.x;
  Pack<float, 4> sum = *piece;
#pragma unroll 2
  for (uint32_t block = from; block < to; ++block) {
    piece += Tile::kRuns * Tile::kThreads;
    const Pack<float, 4> x = *piece;
#pragma unroll
    for (int e = 0; e < 4; ++e) sum.v[e] += x.v[e];
  }
  const MmaTilePlace<Tile> at(gemm, gemm.whole + tile);
  int32_t r, c;
  Warp::place(static_cast<int>(threadIdx.x), run / kOfRow, run / 2 % Warp::kBlocksN, run % 2, &r, &c);
  gemm.store.run(gemm.store.scalars(), gemm.store.origin(at.p, 0, at.row, at.col, gemm.m, gemm.n), r, c, sum.v);
}

}  // namespace gpuopt
