// What a launch of a wgmma kernel does.
#pragma once

#include "common/divider.cuh"
#include "common/index.cuh"

namespace gpuopt {

// Columns: a tile with no more takes less time.
constexpr int kWgmmaNarrow = 32;
constexpr int kWgmmaStripe = 8, kWgmmaStripeLog = 3;  // rows of tiles that go down together
// Columns that a tile of up to tile_n may have, a launch's to choose, so that tiles fill the last round of blocks: fewer by some steps.
// Of a B along n panels of 64 columns come whole, so steps are larger; where sums are as many as registers hold (full), there are none.
struct WgmmaWidths {
  int most, least, step;
};
constexpr WgmmaWidths wgmma_widths(int tile_n, bool narrows, bool full, bool along_k) {
  const bool some = narrows && (along_k || !full);
  return {tile_n, some ? tile_n - 48 : tile_n, along_k ? 16 : 32};
}
constexpr int kWgmmaOtherColumns = 16;  // in whose time a stage does what does not depend on them
// Lines of an operand along k that are asked for at once, of `extent` that are copied together: 64, so that those beyond a matrix
// are left out; of narrow tiles all, for a stage of theirs is over before more could be asked for.
constexpr int wgmma_box(int tile_n, int extent) { return tile_n <= 128 ? extent : 64; }
// The lines of boxes that have any that exists.
constexpr int32_t wgmma_boxed(int32_t existing, int32_t extent, int32_t box) {
  return existing <= 0 ? 0 : ((existing < extent ? existing : extent) + box - 1) / box * box;
}
// Units of an extent, but for the last one where no more than `little` of it exists: those at the edges come last.
inline int64_t wgmma_whole_units(int64_t extent, int64_t unit, int64_t little) {
  return ceil_div(extent, unit) - (extent % unit != 0 && extent % unit <= little ? 1 : 0);
}

// Units at the edges, in the time of whole ones: what they read counts, beside whole ones that leave L2 no room, and narrow ones
// take as long as if they had 128 columns.
struct WgmmaEdges {
  double lower, right;
};
constexpr WgmmaEdges wgmma_edge_shares(int tile_m, int tile_n) {
  const double all = tile_m + tile_n, right = (tile_m + 128) / all;
  return {(tile_m / 2 + tile_n) / all, right < 1 ? right : 1};
}
// How blocks (or pairs) share the units out, in rounds: what `edges_first` is to be, and when the last one ends, in whole units.
struct WgmmaRounds {
  int64_t whole, rest, edges_first;
  double all;
};
WgmmaRounds wgmma_rounds(int64_t whole, int64_t lower, int64_t right, int64_t blocks, WgmmaEdges shares);
// The same of a product by `blocks`, single or in pairs; edges: tiles of which little exists take less time.
WgmmaRounds wgmma_rounds(int tile_m, int tile_n, bool edges, int64_t m, int64_t n, int64_t batch, bool paired,
                         int64_t blocks);

// The work of a launch in units: a tile, or of a pair of blocks (a cluster) two, one above the other, which share B:
// each block copies half of it into both. Units of which little exists, at the lower and right edge, come last; blocks
// that the last round of whole units leaves idle take the first of them, the others what is left.
struct WgmmaGemm {
  int32_t m, n, stages;             // stages of k
  int32_t width, box_b;             // columns of a tile; lines of B along k that are asked for at once
  int32_t units_m, units_n, units;  // rows and columns of them; of all matrices
  int32_t whole_m, whole_n, whole;  // the same without those at the edges
  uint32_t many;                    // blocks or pairs
  // Rounds of whole units that all blocks or pairs have; units of the round behind, the blocks idle then. Where the edges of either
  // begin, for round 0, and the round from which on idle ones have none.
  uint32_t rounds, rest, idle, idle_from, idle_end, busy_from;
  SmallDivider in_matrix, in_stripe, in_last;  // whole units of a matrix, of a stripe, in a column of the last stripe
  int32_t stripes, log_high;                   // those that are as high as they may be: rows of units
  bool paired;
  bool batched_a, batched_b;  // false: one matrix for all
};

// The unit that one of `many` has in a round; `units` and more: none, and none later.
__host__ __device__ inline uint32_t wgmma_unit_of(const WgmmaGemm &gemm, uint32_t mine, uint32_t round) {
  const bool idle = mine >= gemm.rest;
  if (round < gemm.rounds + (idle ? 0 : 1)) return round * gemm.many + mine;
  if (!idle) return gemm.busy_from + round * gemm.rest + mine;
  return round < gemm.idle_end ? gemm.idle_from + round * gemm.idle + mine : static_cast<uint32_t>(gemm.units);
}
// The width with which single blocks end first.
int wgmma_width(int tile_m, WgmmaWidths widths, bool edges, int64_t m, int64_t n, int64_t batch, int64_t blocks);
// What a launch of `blocks` at the most does.
WgmmaGemm wgmma_work(int tile_m, int tile_n, bool edges, int64_t m, int64_t n, int64_t stages, int64_t batch,
                     bool paired, int64_t blocks);

// Scales of blocks (wgmma_scales.cuh): from those of a launch's first row, column and matrix on; NULL: none.
struct WgmmaBlockScales {
  const float *a, *b;
  int64_t a_row, a_depth, a_batch, b_col, b_depth,
      b_batch;  // steps: a_row of a block of 1 << a_shift rows, b_col of 128
  int32_t a_shift;
};

}  // namespace gpuopt
