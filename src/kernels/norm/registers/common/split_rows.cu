// Instances of norm_split_row, apart from what the host does with them.

#include "norm/registers/split_row.cuh"

namespace gpuopt {

#define GPUOPT_SPLIT_ROW_(T, norm, any, Chain)                                                            \
  template __global__ void norm_split_row_kernel<T, norm, any, Chain>(const __grid_constant__ RowWork<T>, \
                                                                      const __grid_constant__ Chain);
#define GPUOPT_SPLIT_SOFTMAX_(T, norm, V) \
  template __global__ void norm_split_softmax_kernel<T, norm>(const __grid_constant__ RowWork<T>);
GPUOPT_SPLIT_ROW_INSTANCES(GPUOPT_SPLIT_ROW_)
GPUOPT_SPLIT_SOFTMAX_INSTANCES(GPUOPT_SPLIT_SOFTMAX_)

}  // namespace gpuopt
