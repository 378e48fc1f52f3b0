// Which rows a group of rows.cuh takes.
#pragma once

#include "norm/common/row_launch.h"
#include "norm/registers/rows.h"

namespace gpuopt {

constexpr int64_t kMostDealtRows = 8;
constexpr int64_t kKeepingThreads = 640;  // of an SM, by the registers of a thread that keeps weights

// at_once: groups that the device runs at the same time.
inline RowDeal deal_rows(const gpuopt_problem &problem, int64_t at_once) {
  RowDeal deal = {1, 0};
  const bool weighted = problem.extra[GPUOPT_OPERAND_GAMMA - 4].m.dtype == problem.operand[GPUOPT_OPERAND_X].m.dtype;
  const bool plain = problem.stage_count == 0 && problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype == 0;
  const int64_t each = problem.m / (at_once > 0 ? at_once : 1);
  if (problem.batch > 1 || is_f32(problem) || !weighted || !plain || all_aligned(problem) || each < 2) return deal;
  for (int operand : {GPUOPT_OPERAND_X, GPUOPT_OPERAND_OUT})
    while ((problem.operand[operand].m.ld << deal.classes_log2) % 8 != 0) ++deal.classes_log2;
  deal.each = static_cast<int32_t>(each < kMostDealtRows ? each : kMostDealtRows);
  return deal;
}
inline int64_t groups_of(const gpuopt_problem &problem, const RowDeal &deal) {
  return ceil_div(problem.m * problem.batch, int64_t{deal.each} << deal.classes_log2) << deal.classes_log2;
}

}  // namespace gpuopt
