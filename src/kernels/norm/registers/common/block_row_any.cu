// Instances of norm_block_row without stages on rows that begin anywhere, apart from the others so that no file is long to compile.

#include "norm/registers/block_row.cuh"

namespace gpuopt {

#define GPUOPT_BLOCK_ROW_(T, norm, V, adds, any) \
  template __global__ void norm_block_row_kernel<T, norm, V, adds, any>(const __grid_constant__ RowWork<T>);
GPUOPT_BLOCK_ROW_INSTANCES(GPUOPT_BLOCK_ROW_, true)

}  // namespace gpuopt
