// Instances of norm_cluster_row.

#include "norm/shared/cluster_row.cuh"

namespace gpuopt {

#define GPUOPT_CLUSTER_ROW_(T, norm, any) \
  template __global__ void norm_cluster_row_kernel<T, norm, any>(const __grid_constant__ RowWork<T>, int32_t, int32_t);
GPUOPT_ROW_INSTANCES_OF(GPUOPT_CLUSTER_ROW_, false)
GPUOPT_ROW_INSTANCES_OF(GPUOPT_CLUSTER_ROW_, true)

}  // namespace gpuopt
