/* What both reductions of the CPU ask of a call before they compute. */
#pragma once

#include <stdio.h>

#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {

constexpr uint32_t kAllAxes = 1u << GPUOPT_EACH_ROW | 1u << GPUOPT_EACH_COL | 1u << GPUOPT_ALL;

/* Of each matrix. */
static inline int64_t outputs_of(const gpuopt_problem &problem) {
  return problem.axis == GPUOPT_EACH_ROW ? problem.m : problem.axis == GPUOPT_EACH_COL ? problem.n : 1;
}

static inline bool selects(int32_t variant) {
  return variant == GPUOPT_REDUCE_MIN || variant == GPUOPT_REDUCE_MAX || variant == GPUOPT_REDUCE_ARGMIN ||
         variant == GPUOPT_REDUCE_ARGMAX;
}

/* Outputs need elements to select from. */
static inline gpuopt_status check_elements(const gpuopt_problem &problem, const gpuopt_launch *how) {
  const bool outputs = outputs_of(problem) > 0 && problem.batch > 0;
  if (!outputs || !selects(problem.variant) || (problem.m != 0 && problem.n != 0)) return GPUOPT_OK;
  if (how && how->error)
    snprintf(how->error, how->error_bytes, "reduce: no least or greatest element of no elements (x is %lld x %lld)",
             static_cast<long long>(problem.m), static_cast<long long>(problem.n));
  return GPUOPT_INVALID_ARGUMENT;
}

}  // namespace cpu
}  // namespace gpuopt
