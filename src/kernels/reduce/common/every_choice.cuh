// For kernels that have an instance for every type and op.
#pragma once

#include "reduce/common/dispatch.cuh"

namespace gpuopt {

// X(dtype, op) for all types and ops.
#define GPUOPT_REDUCE_CHOICES(X) \
  GPUOPT_REDUCE_DTYPES(X, 0)     \
  GPUOPT_REDUCE_DTYPES(X, 1)     \
  GPUOPT_REDUCE_DTYPES(X, 2)     \
  GPUOPT_REDUCE_DTYPES(X, 3)     \
  GPUOPT_REDUCE_DTYPES(X, 4) GPUOPT_REDUCE_DTYPES(X, 5) GPUOPT_REDUCE_DTYPES(X, 6) GPUOPT_REDUCE_WIDE(X)

#define GPUOPT_REDUCE_RESOURCES(kernel, threads)                                                              \
  GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 0), GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 1),     \
      GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 2), GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 3), \
      GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 4), GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 5), \
      GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 6), GPUOPT_REDUCE_WIDE_RESOURCES(kernel, threads)

}  // namespace gpuopt
