// Instances of norm_twice_row for rows of any length, apart from the others so that no file is long to compile.

#include "norm/cache/long_row.cuh"

namespace gpuopt {

#define GPUOPT_LONG_ROW_(T, norm, V, mode)                                                                    \
  template __global__ void norm_long_row_kernel<T, norm, mode != kRowAny>(const __grid_constant__ RowWork<T>, \
                                                                          const __grid_constant__ RowChain);
GPUOPT_ROW_INSTANCES_OF(GPUOPT_LONG_ROW_, 0, kRowAligned)
GPUOPT_ROW_INSTANCES_OF(GPUOPT_LONG_ROW_, 0, kRowAny)

}  // namespace gpuopt
