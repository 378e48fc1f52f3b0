// Instances of norm_block_row on rows that begin alike, apart from the others so that no file is long to compile.

#include "norm/registers/unaligned_rows.cuh"

namespace gpuopt {

#define GPUOPT_ALIKE_ROWS_(T, norm, V, adds, Chain, kept)                         \
  template __global__ void norm_alike_rows_kernel<T, norm, V, adds, Chain, kept>( \
      const __grid_constant__ RowWork<T>, const AlikeRows, const __grid_constant__ Chain);
GPUOPT_ALIKE_INSTANCES(GPUOPT_ALIKE_ROWS_)

}  // namespace gpuopt
