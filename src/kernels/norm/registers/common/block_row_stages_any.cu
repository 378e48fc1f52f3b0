// Instances of norm_block_row with stages on all other rows, apart from the others so that no file is long to compile.

#include "norm/registers/block_row.cuh"

namespace gpuopt {

#define GPUOPT_BLOCK_STAGES_(T, norm, V, mode) \
  template __global__ void norm_block_stages_kernel<T, norm, mode>(const __grid_constant__ RowWork<T>);
GPUOPT_ROW_INSTANCES_OF(GPUOPT_BLOCK_STAGES_, kManyVectors, kRowAny)

}  // namespace gpuopt
