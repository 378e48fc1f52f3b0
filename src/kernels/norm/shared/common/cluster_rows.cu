// Instances of norm_cluster_row, apart from what launches them.

#include "norm/shared/cluster_row.cuh"

namespace gpuopt {

#define GPUOPT_CLUSTER_ROW_(T, norm, any, adds) \
  template __global__ void norm_cluster_row_kernel<T, norm, any, adds>(const __grid_constant__ RowWork<T>, int32_t);
GPUOPT_CLUSTER_ROW_INSTANCES(GPUOPT_CLUSTER_ROW_)

}  // namespace gpuopt
