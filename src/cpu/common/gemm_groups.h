/* Which rows of a grouped product belong to a group, and what a product of a list is. */
#pragma once

#include "../../common/group_list.h"
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

/* A product of a list as a problem of its own, but that its stages are those of matrix `group`. */
static inline gpuopt_problem group_problem(const gpuopt_problem &problem, int64_t group) {
  const void *const list = problem.host_list != nullptr ? static_cast<const void *>(problem.host_list)
                                                        : problem.extra[GPUOPT_OPERAND_LIST - 4].m.data;
  const GroupProduct x = GroupBounds(problem).of(static_cast<const gpuopt_gemm_group *>(list)[group]);
  gpuopt_problem one = problem;
  one.m = x.m;
  one.n = x.n;
  one.k = x.k;
  const auto set = [&one](int operand, const void *data, int64_t ld) {
    one.operand[operand].m.data = const_cast<void *>(data);
    one.operand[operand].m.ld = ld;
  };
  set(GPUOPT_OPERAND_A, x.a, x.lda);
  set(GPUOPT_OPERAND_B, x.b, x.ldb);
  set(GPUOPT_OPERAND_C, x.c, x.ldc);
  set(GPUOPT_OPERAND_D, x.d, x.ldd);
  return one;
}

}  // namespace cpu
}  // namespace gpuopt
