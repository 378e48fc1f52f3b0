// The operands of a norm.
#pragma once

#include "common/index.cuh"

namespace gpuopt {

struct NormViews {
  View x, residual, out, sum, gamma, beta, statistics;  // dtype 0: absent
};

inline NormViews norm_views(const gpuopt_problem &problem) {
  const gpuopt_operand *o = problem.operand, *e = problem.extra;
  return {matrix_view(o[GPUOPT_OPERAND_X]),
          matrix_view(o[GPUOPT_OPERAND_RESIDUAL]),
          matrix_view(o[GPUOPT_OPERAND_OUT]),
          matrix_view(o[GPUOPT_OPERAND_SUM]),
          matrix_view(e[GPUOPT_OPERAND_GAMMA - 4]),
          matrix_view(e[GPUOPT_OPERAND_BETA - 4]),
          matrix_view(e[GPUOPT_OPERAND_STATISTICS - 4])};
}

}  // namespace gpuopt
