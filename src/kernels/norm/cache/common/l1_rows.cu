// Instances of norm_twice_row for rows that the first-level cache holds.

#include "norm/cache/l1_row.cuh"

namespace gpuopt {

#define GPUOPT_L1_ROW_(T, norm, columns, mode) \
  template __global__ void norm_l1_row_kernel<T, norm, columns>(const __grid_constant__ RowWork<T>);
GPUOPT_ROW_INSTANCES_OF(GPUOPT_L1_ROW_, 8192, kRowAligned)
GPUOPT_ROW_INSTANCES_OF(GPUOPT_L1_ROW_, 16384, kRowAligned)
GPUOPT_ROW_INSTANCES_OF(GPUOPT_L1_ROW_, 0, kRowAligned)

}  // namespace gpuopt
