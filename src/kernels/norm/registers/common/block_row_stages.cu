// Instances of norm_block_row with stages, apart from the others so that no file is long to compile.

#include "norm/registers/block_row.cuh"

namespace gpuopt {

#define GPUOPT_BLOCK_STAGES_(T, norm, adds, any) \
  template __global__ void norm_block_stages_kernel<T, norm, adds, any>(const __grid_constant__ RowWork<T>);
GPUOPT_BLOCK_STAGES_INSTANCES(GPUOPT_BLOCK_STAGES_)

}  // namespace gpuopt
