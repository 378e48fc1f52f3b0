// Some rows of a product as a product of its own, for kernels whose scratch memory holds the sums of a part of it at a time.
#pragma once

#include <initializer_list>

#include "../common/block_scales.h"
#include "gpuopt/kernel.h"

namespace gpuopt {

// Rows first to first + count of the normal form. first: a multiple of 256, so that alignments stay as they are.
inline gpuopt_problem gemm_rows(const gpuopt_problem &whole, int64_t first, int64_t count) {
  gpuopt_problem part = whole;
  part.m = count;
  const auto cut = [&](gpuopt_matrix &x, int64_t step) {
    if (x.dtype == 0) return;
    // The scales of blocks of a batch's next matrix lie behind those of all rows, of which x.rows tells (block_scales()).
    if (!has_block_scales(x)) x.rows = count;
    if (x.data != nullptr) x.data = static_cast<char *>(x.data) + first * step * gpuopt_dtype_size(x.dtype);
    if (const BlockScales scales = block_scales(x); scales.data != nullptr) x.scale += scales.offset(0, first, 0);
  };
  const auto step_of = [](const gpuopt_matrix &x) { return x.layout == GPUOPT_ROW ? x.ld : 1; };
  for (const int i : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_C, GPUOPT_OPERAND_D}) {
    gpuopt_matrix &x = part.operand[i].m;
    cut(x, step_of(x));
  }
  for (int32_t s = 0; s < part.stage_count; ++s) {
    gpuopt_problem_stage &stage = part.stage[s];
    const bool vector = stage.kind == GPUOPT_STAGE_ADD_OUTER || stage.form == GPUOPT_PER_ROW;
    if (stage.form != GPUOPT_PER_COL) cut(stage.a.m, vector ? stage.a.m.ld : step_of(stage.a.m));
  }
  return part;
}

}  // namespace gpuopt
