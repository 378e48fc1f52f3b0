// Instances of norm_staying_rows on aligned rows, apart from the others so that no file is long to compile.

#include "norm/registers/staying_rows.cuh"

namespace gpuopt {

#define GPUOPT_STAYING_ROWS_(T, norm, V, adds, any, Chain)                         \
  template __global__ void norm_staying_rows_kernel<T, norm, V, adds, any, Chain>( \
      const __grid_constant__ RowWork<T>, const __grid_constant__ Chain, const __grid_constant__ StayingRows);
GPUOPT_STAYING_INSTANCES(GPUOPT_STAYING_ROWS_, false, NoChain)
GPUOPT_STAYING_INSTANCES(GPUOPT_STAYING_ROWS_, false, RowLinear)
GPUOPT_STAYING_SOFTMAX_INSTANCES(GPUOPT_STAYING_ROWS_, false)
GPUOPT_STAYING_SUM_INSTANCES(GPUOPT_STAYING_ROWS_, false)

}  // namespace gpuopt
