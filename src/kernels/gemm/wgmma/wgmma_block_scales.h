// Scales of blocks, as wgmma kernels read them.
#pragma once

#include <cstdint>

namespace gpuopt {

// Which scales a kernel multiplies sums by: none; of blocks, those of B of 128 columns; of blocks, those of B of one.
enum class WgmmaScaled { no, by_blocks, by_columns };

// Scales of blocks (wgmma_scales.cuh): from those of a launch's first row, column and matrix on; NULL: none.
struct WgmmaBlockScales {
  const float *a, *b;
  int64_t a_row, a_batch, b_col, b_batch;  // steps: a_row of a block of 1 << a_shift rows, b_col of a block's columns
  int64_t a_depth, b_depth;                // steps to the next 128 of k, in bytes
  int32_t a_shift;
};

}  // namespace gpuopt
