// Some rows of some matrices of a product as a product of its own (gemm_parts.h).
#pragma once

#include <initializer_list>

#include "../common/block_scales.h"
#include "gpuopt/kernel.h"

namespace gpuopt {

// Of the normal form's rows, and of the matrices of a batch, those from `first` on. first_row: a multiple of 16, of a block's
// rows where A has scales of blocks.
inline gpuopt_problem gemm_part(const gpuopt_problem &whole, int64_t first_row, int64_t rows, int64_t first_matrix,
                                int64_t matrices) {
  gpuopt_problem part = whole;
  part.m = rows;
  part.batch = matrices;
  // row_step: elements from a row of D to the next one; 0 of what is the same for all rows.
  const auto cut = [&](gpuopt_matrix &x, int64_t row_step) {
    if (x.dtype == 0) return;
    const int64_t first = first_matrix * x.batch_stride + first_row * row_step;
    if (x.data != nullptr) x.data = static_cast<char *>(x.data) + first * gpuopt_dtype_size(x.dtype);
    // The scales of blocks of a batch's next matrix lie behind those of all rows, of which x.rows tells (block_scales()).
    if (const BlockScales scales = block_scales(x); scales.data != nullptr)
      x.scale += scales.offset(first_matrix, row_step != 0 ? first_row : 0, 0);
    if (row_step != 0 && !has_block_scales(x)) x.rows = rows;
  };
  const auto step_of = [](const gpuopt_matrix &x) { return x.layout == GPUOPT_ROW ? x.ld : 1; };
  for (const int i : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B, GPUOPT_OPERAND_C, GPUOPT_OPERAND_D}) {
    gpuopt_matrix &x = part.operand[i].m;
    cut(x, i == GPUOPT_OPERAND_B ? 0 : step_of(x));
  }
  for (int32_t s = 0; s < part.stage_count; ++s) {
    gpuopt_problem_stage &stage = part.stage[s];
    const bool vector = stage.kind == GPUOPT_STAGE_ADD_OUTER || stage.form == GPUOPT_PER_ROW;
    cut(stage.a.m, stage.form == GPUOPT_PER_COL ? 0 : vector ? stage.a.m.ld : step_of(stage.a.m));
    cut(stage.b.m, 0);
  }
  return part;
}

}  // namespace gpuopt
