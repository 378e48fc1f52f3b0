// Where the scales of an operand of a product lie: those of blocks (gpuopt_scales in gpuopt.h).
#pragma once

#include "gpuopt/gpuopt.h"

namespace gpuopt {

// Element (i, j) of matrix p is multiplied by data[offset(p, i, j)]. data NULL: the operand has none, or one for all.
struct BlockScales {
  const float *data;
  int64_t row_step, col_step, batch_step;
  int32_t row_shift, col_shift;  // log2 of a block's extents

  constexpr int64_t offset(int64_t p, int64_t i, int64_t j) const {
    return p * batch_step + (i >> row_shift) * row_step + (j >> col_shift) * col_step;
  }
};

inline bool has_block_scales(const gpuopt_matrix &m) { return m.scales.block != GPUOPT_SCALE_ONE; }
// The scale of the whole matrix; NULL: it has none, or those of blocks.
inline const float *whole_scale(const gpuopt_matrix &m) { return has_block_scales(m) ? nullptr : m.scale; }

// m: of a problem, whose leading dimensions are resolved.
inline BlockScales block_scales(const gpuopt_matrix &m) {
  if (!has_block_scales(m)) return {};
  const int32_t row_shift = m.scales.block == GPUOPT_SCALE_1X128 ? 0 : 7;
  const int32_t col_shift = m.scales.block == GPUOPT_SCALE_128X1 ? 0 : 7;
  const bool row_major = m.scales.layout == GPUOPT_ROW;
  const auto blocks = [](int64_t extent, int32_t shift) {
    return (extent >> shift) + ((extent & ((int64_t{1} << shift) - 1)) != 0 ? 1 : 0);
  };
  const int64_t lines = row_major ? blocks(m.rows, row_shift) : blocks(m.cols, col_shift);
  return {m.scale,
          row_major ? m.scales.ld : 1,
          row_major ? 1 : m.scales.ld,
          m.batch_stride == 0 ? 0 : lines * m.scales.ld,
          row_shift,
          col_shift};
}

}  // namespace gpuopt
