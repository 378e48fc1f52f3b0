// The operands of a product of few rows or few columns: the small and the large one, both as lines along k.
#pragma once

#include "gemm/common/plain_output.cuh"

namespace gpuopt {

// A by its rows, or B by its columns.
struct SkinnyLines {
  const float *data;
  int64_t lines, line_step, k_step, batch_step;
  bool by_16_bytes;
};

// The operand of fewer lines is the small one.
inline bool few_are_rows(const gpuopt_problem &problem) { return problem.m <= problem.n; }
inline int few_operand(const gpuopt_problem &problem) {
  return few_are_rows(problem) ? GPUOPT_OPERAND_A : GPUOPT_OPERAND_B;
}
inline int many_operand(const gpuopt_problem &problem) {
  return few_are_rows(problem) ? GPUOPT_OPERAND_B : GPUOPT_OPERAND_A;
}
// by_16_bytes: base and lines are aligned; what else a kernel needs for that is its own.
inline SkinnyLines skinny_lines(const gpuopt_problem &problem, int index) {
  const gpuopt_operand &o = problem.operand[index];
  const bool is_a = index == GPUOPT_OPERAND_A, along_k = (o.m.layout == GPUOPT_ROW) == is_a;
  return {static_cast<const float *>(o.m.data),
          is_a ? problem.m : problem.n,
          along_k ? o.m.ld : 1,
          along_k ? 1 : o.m.ld,
          o.m.batch_stride,
          has_aligned_lines(o)};
}

}  // namespace gpuopt
