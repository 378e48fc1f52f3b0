// Instances of norm_block_row with linear chains, apart from the others so that no file is long to compile.

#include "norm/registers/block_row.cuh"

namespace gpuopt {

#define GPUOPT_BLOCK_LINEAR_OF_(T, norm, kThreads, V)                                                         \
  template __global__ void norm_block_linear_kernel<T, norm, kThreads, V>(const __grid_constant__ RowWork<T>, \
                                                                          const __grid_constant__ RowLinear);
#define GPUOPT_BLOCK_LINEAR_(T, norm)                               \
  GPUOPT_BLOCK_LINEAR_OF_(T, norm, kFewLinearThreads, kManyVectors) \
  GPUOPT_BLOCK_LINEAR_OF_(T, norm, kBlockRowThreads, kManyVectors)  \
  GPUOPT_BLOCK_LINEAR_OF_(T, norm, kBlockRowThreads, kMostVectors)
GPUOPT_LINEAR_INSTANCES(GPUOPT_BLOCK_LINEAR_)

}  // namespace gpuopt
