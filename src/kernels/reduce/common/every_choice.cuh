// For kernels that have an instance for every type and op.
#pragma once

#include "reduce/common/dispatch.cuh"

namespace gpuopt {

// f(Choice<dtype, op>{})
template <class F>
gpuopt_status with_choice(const gpuopt_problem &problem, F &&f) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  if (is_wide_sum(problem)) return with_wide_choice(dtype, f);
  return with_constant<kSumOfSquares, kSumOfMagnitudes, kDot, kProduct, kExtreme, kArg, kSum>(
      choice_of(problem), [&](auto op) { return with_dtype_choice<decltype(op)::value>(dtype, f); });
}

// X(dtype, op) for all types and ops.
#define GPUOPT_REDUCE_CHOICES(X) \
  GPUOPT_REDUCE_DTYPES(X, 0)     \
  GPUOPT_REDUCE_DTYPES(X, 1)     \
  GPUOPT_REDUCE_DTYPES(X, 2)     \
  GPUOPT_REDUCE_DTYPES(X, 3) GPUOPT_REDUCE_DTYPES(X, 4) GPUOPT_REDUCE_DTYPES(X, 5) GPUOPT_REDUCE_DTYPES(X, 6) \
  GPUOPT_REDUCE_WIDE(X)

#define GPUOPT_REDUCE_RESOURCES(kernel, threads)                                                              \
  GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 0), GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 1),     \
      GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 2), GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 3), \
      GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 4), GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 5), \
      GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 6), GPUOPT_REDUCE_WIDE_RESOURCES(kernel, threads)

}  // namespace gpuopt
