/* Where element (i, j) of matrix p of a normal-form operand lies. */
#pragma once

#include "convert.h"
#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {

/* A matrix with its layout turned into steps, in elements. */
struct View {
  void *data;
  int64_t row_step, col_step, batch_step;
  int32_t dtype;
};

static inline View view_of(const gpuopt_operand &operand) {
  const gpuopt_matrix &m = operand.m;
  const bool row_major = m.layout == GPUOPT_ROW;
  return {m.data, row_major ? m.ld : 1, row_major ? 1 : m.ld, m.batch_stride, m.dtype};
}

/* Vectors (PER_ROW and PER_COL operands, a reduction's outputs) are n x 1: their element i is (i, 0). */
static inline int64_t index_of(const View &view, int64_t i, int64_t j, int64_t p) {
  return p * view.batch_step + i * view.row_step + j * view.col_step;
}

static inline double load_at(const View &view, int64_t i, int64_t j, int64_t p) {
  return load(view.data, view.dtype, index_of(view, i, j, p));
}

static inline void store_at(const View &view, int64_t i, int64_t j, int64_t p, double value) {
  store(view.data, view.dtype, index_of(view, i, j, p), value);
}

}  // namespace cpu
}  // namespace gpuopt
