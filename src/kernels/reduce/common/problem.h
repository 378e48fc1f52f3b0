// What a problem asks for: its op, and where its results go.
#pragma once

#include "reduce/common/output.cuh"

namespace gpuopt {

inline int64_t elements_of_result(const gpuopt_problem &problem) {
  return problem.axis == GPUOPT_EACH_ROW   ? problem.n
         : problem.axis == GPUOPT_EACH_COL ? problem.m
                                           : problem.m * problem.n;
}

// Whether a sum that becomes a float may leave 64 bits.
inline bool is_wide_sum(const gpuopt_problem &problem) {
  const int32_t x = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  if (problem.variant == GPUOPT_REDUCE_NRM2) return x == GPUOPT_I32 || x == GPUOPT_I64;
  if (problem.variant != GPUOPT_REDUCE_MEAN) return false;
  return x == GPUOPT_I64 || (x == GPUOPT_I32 && elements_of_result(problem) >= int64_t{1} << 32);
}

// The op of a problem, and what it has to know.
inline int op_of(const gpuopt_problem &problem) {
  if (is_wide_sum(problem)) return kWideSum;
  switch (problem.variant) {
    case GPUOPT_REDUCE_DOT:
      return kDot;
    case GPUOPT_REDUCE_PROD:
      return kProduct;
    case GPUOPT_REDUCE_MIN:
    case GPUOPT_REDUCE_MAX:
      return kExtreme;
    case GPUOPT_REDUCE_ARGMIN:
    case GPUOPT_REDUCE_ARGMAX:
      return kArg;
    default:
      return kSum;
  }
}
inline OpState state_of(int32_t variant) {
  const bool square = variant == GPUOPT_REDUCE_SUMSQ || variant == GPUOPT_REDUCE_NRM2;
  return {square                          ? kSquare
          : variant == GPUOPT_REDUCE_ASUM ? kMagnitude
                                          : kValue,
          variant == GPUOPT_REDUCE_MAX || variant == GPUOPT_REDUCE_ARGMAX};
}

inline size_t partial_bytes(int op, int32_t dtype) {
  const size_t computed = computed_dtype(dtype) == GPUOPT_F32 ? 4 : 8;
  return op == kWideSum ? kWideBytes : op == kArg ? 16 : computed;
}

inline int64_t outputs_per_matrix(const gpuopt_problem &problem) {
  return problem.axis == GPUOPT_EACH_ROW ? problem.m : problem.axis == GPUOPT_EACH_COL ? problem.n : 1;
}

inline ReduceOutput reduce_output(const gpuopt_problem &problem) {
  const bool root = problem.variant == GPUOPT_REDUCE_NRM2, mean = problem.variant == GPUOPT_REDUCE_MEAN;
  const int64_t count = elements_of_result(problem);
  return {per_row_view(problem.operand[GPUOPT_OPERAND_OUT]), per_row_view(problem.operand[GPUOPT_OPERAND_VALUE]), count,
          mean   ? kMean
          : root ? kRoot
                 : kAsIs,
          1.0 / static_cast<double>(count)};
}

}  // namespace gpuopt
