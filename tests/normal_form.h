/* Problems in normal form, filled by hand: what the tests below the API hand to a kernel's launch. */
#pragma once

#include <cstdint>
#include <vector>

#include "../src/cpu/common/convert.h"
#include "gpuopt/kernel.h"

namespace normal_form {

/* An operand in normal form. */
inline gpuopt_operand operand(gpuopt_matrix m) {
  gpuopt_operand o = {};
  if (m.ld == 0) m.ld = m.layout == GPUOPT_ROW ? m.cols : m.rows;
  if (m.batch_stride == GPUOPT_PACKED) m.batch_stride = m.ld * (m.layout == GPUOPT_ROW ? m.rows : m.cols);
  o.m = m;
  return o;
}
inline gpuopt_operand column(const void *data, int64_t count, int32_t dtype) {
  return operand(gpuopt_mat(data, count, 1, dtype));
}

inline gpuopt_problem problem(int32_t op, int64_t m, int64_t n, int64_t k) {
  gpuopt_problem p = {};
  p.struct_size = sizeof p;
  p.op = op;
  p.compute = GPUOPT_COMPUTE_F64;
  p.m = m;
  p.n = n;
  p.k = k;
  p.batch = 1;
  p.alpha = 1;
  return p;
}

inline gpuopt_status launch(const gpuopt_kernel_span &span, const gpuopt_problem &p) {
  char error[128] = "";
  gpuopt_launch how = {};
  how.struct_size = sizeof how;
  how.error = error;
  how.error_bytes = sizeof error;
  return span.kernels[0].launch(&p, &how);
}

inline gpuopt_problem_stage stage(int32_t kind, double v0 = 0, double v1 = 0) {
  gpuopt_problem_stage s = {};
  s.kind = kind;
  s.value[0] = v0;
  s.value[1] = v1;
  return s;
}
inline gpuopt_problem_stage stage_with(int32_t kind, int32_t form, double factor, gpuopt_operand a) {
  gpuopt_problem_stage s = stage(kind, factor);
  s.form = form;
  s.a = a;
  return s;
}

/* count elements of dtype; element i is value(i). */
template <class Value>
std::vector<uint64_t> array(int32_t dtype, int64_t count, Value value) {
  std::vector<uint64_t> cells(size_t(count), 0);
  for (int64_t i = 0; i < count; ++i) gpuopt::cpu::store(cells.data(), dtype, i, value(i));
  return cells;
}

/* Equal, or both NaN. */
inline bool same(double x, double y) { return x == y || (x != x && y != y); }

}  // namespace normal_form
