// Where element (p, i, j) of an operand lies. Offsets are 64-bit throughout, so kernels built on it understand
// GPUOPT_FEATURE_LARGE; a layout is only a choice of steps, so they read any. Everything compiles for the host too.
#pragma once

#include <cstdint>

#include "gpuopt/kernel.h"

namespace gpuopt {

__host__ __device__ constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// An operand by its steps, in elements. A vector along the rows has col_step 0, one along the columns
// row_step 0.
struct View {
  void *data;
  int64_t batch_step, row_step, col_step;
  int32_t dtype;  // 0: absent

  __host__ __device__ int64_t offset(int64_t p, int64_t i, int64_t j) const {
    return p * batch_step + i * row_step + j * col_step;
  }
};

inline View matrix_view(const gpuopt_operand &operand) {
  const gpuopt_matrix &m = operand.m;
  const bool row_major = m.layout == GPUOPT_ROW;
  return {m.data, m.batch_stride, row_major ? m.ld : 1, row_major ? 1 : m.ld, m.dtype};
}
// v(i) for (i, j), and v(j): the normal form keeps such a vector's element e at e * ld.
inline View per_row_view(const gpuopt_operand &v) { return {v.m.data, v.m.batch_stride, v.m.ld, 0, v.m.dtype}; }
inline View per_col_view(const gpuopt_operand &v) { return {v.m.data, v.m.batch_stride, 0, v.m.ld, v.m.dtype}; }

// A stage's operand, of ADD_OUTER the one along the rows.
inline View stage_view(const gpuopt_problem_stage &stage) {
  if (stage.a.m.dtype == 0) return {};
  if (stage.kind == GPUOPT_STAGE_ADD_OUTER || stage.form == GPUOPT_PER_ROW) return per_row_view(stage.a);
  return stage.form == GPUOPT_PER_COL ? per_col_view(stage.a) : matrix_view(stage.a);
}
inline View outer_view(const gpuopt_problem_stage &stage) {  // and ADD_OUTER's along a row
  return stage.kind == GPUOPT_STAGE_ADD_OUTER ? per_col_view(stage.b) : View{};
}

}  // namespace gpuopt
