// Which rows a group of rows.cuh takes.
#pragma once

#include "norm/common/row_launch.h"

namespace gpuopt {

constexpr int kRowsAtOnce = 2;      // of a group
constexpr int kMostRowVectors = 8;  // of a thread

struct RowDeal {
  int32_t each;          // rows of a group, at most kRowsAtOnce
  int32_t classes_log2;  // row i and row i + 2^classes_log2 begin alike
};

// Whether a thread asks for its weights before the rows' statistics are joined: where registers allow.
template <int kNorm, int V, bool kAny>
constexpr bool kWeightsAhead = V <= 2 && (kNorm == GPUOPT_NORM_RMSNORM || (kNorm == GPUOPT_NORM_LAYERNORM && !kAny));

// Of the operand's rows.
inline int alike_log2(const gpuopt_operand &operand, int elements) {
  int log2 = 0;
  if (operand.m.dtype == 0) return log2;
  while ((operand.m.ld << log2) % elements != 0) ++log2;
  return log2;
}

// at_once: groups that the device runs at the same time. Where rows are few each has a group of its own.
inline RowDeal deal_rows(const gpuopt_problem &problem, int64_t at_once) {
  RowDeal deal = {1, 0};
  if (problem.batch > 1 || problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype != 0 || problem.m < 2 * at_once)
    return deal;
  const int elements = is_f32(problem) ? 4 : 8;
  for (int operand : {GPUOPT_OPERAND_X, GPUOPT_OPERAND_OUT}) {
    const int log2 = all_aligned(problem) ? 0 : alike_log2(problem.operand[operand], elements);
    if (log2 > deal.classes_log2) deal.classes_log2 = log2;
  }
  deal.each = kRowsAtOnce;
  return deal;
}
inline int64_t groups_of(const gpuopt_problem &problem, const RowDeal &deal) {
  return ceil_div(problem.m * problem.batch, int64_t{deal.each} << deal.classes_log2) << deal.classes_log2;
}

}  // namespace gpuopt
