// Instances of norm_block_row with linear chains for its longest rows, apart from the others so that no file is long to compile.

#include "norm/registers/block_row.cuh"

namespace gpuopt {

#define GPUOPT_BLOCK_LINEAR_(T, norm, threads, V, any)                                                            \
  template __global__ void norm_block_linear_kernel<T, norm, threads, V, any>(const __grid_constant__ RowWork<T>, \
                                                                              const __grid_constant__ RowLinear);
GPUOPT_BLOCK_LINEAR_LONG_INSTANCES(GPUOPT_BLOCK_LINEAR_)

}  // namespace gpuopt
