/* Which rows of a grouped product belong to a group. */
#pragma once

#include "gpuopt/kernel.h"
#include "views.h"

namespace gpuopt {
namespace cpu {

struct GroupRows {
  int64_t first, end; /* end > first, or the group is empty */
};

static inline int64_t group_offset(const gpuopt_problem &problem, int64_t i) {
  if (problem.host_offsets != nullptr) return problem.host_offsets[i];
  const gpuopt_matrix &m = problem.extra[GPUOPT_OPERAND_OFFSETS - 4].m;
  const int64_t at = i * m.ld;
  const int64_t row = m.dtype == GPUOPT_I64 ? static_cast<const int64_t *>(m.data)[at]
                                            : int64_t{static_cast<const int32_t *>(m.data)[at]};
  return row < 0 ? 0 : row > problem.m ? problem.m : row; /* nobody has checked them */
}

static inline GroupRows group_rows(const gpuopt_problem &problem, int64_t group) {
  return {group_offset(problem, group), group_offset(problem, group + 1)};
}

}  // namespace cpu
}  // namespace gpuopt
