// What a launch of a wgmma kernel does.
#pragma once

#include "common/index.cuh"

namespace gpuopt {

// Columns: a tile with no more takes less time.
constexpr int kWgmmaNarrow = 32;
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

// The work of a launch in units: a tile, or of a pair of blocks (a cluster) two, one above the other, which share B: each
// block copies half of it into both. Units of which little exists, at the lower and right edge, come last, when others have
// nothing left to do.
struct WgmmaGemm {
  int32_t m, n, k;
  int32_t units_m, units_n, units;  // rows and columns of them; of all matrices
  int32_t whole_m, whole_n, whole;  // the same without those at the edges
  bool paired;
  bool batched_a, batched_b;  // false: one matrix for all
};

// Scales of blocks (wgmma_scales.cuh): from those of a launch's first row, column and matrix on; NULL: none.
struct WgmmaBlockScales {
  const float *a, *b;
  int64_t a_row, a_depth, a_batch, b_col, b_depth,
      b_batch;  // steps: a_row of a block of 1 << a_shift rows, b_col of 128
  int32_t a_shift;
};

}  // namespace gpuopt
