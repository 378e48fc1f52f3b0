// Instances of norm_block_row on 16-bit rows that begin alike with weights in registers, apart from the others so that no file is
// long to compile and to read.

#include "norm/registers/kept_rows.cuh"

namespace gpuopt {

#define GPUOPT_KEPT_ROWS_(T, norm) \
  template __global__ void norm_kept_rows_kernel<T, norm>(const __grid_constant__ RowWork<T>, const AlikeRows);
GPUOPT_KEPT_INSTANCES(GPUOPT_KEPT_ROWS_)

}  // namespace gpuopt
