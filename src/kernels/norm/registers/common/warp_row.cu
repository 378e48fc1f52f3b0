// Instances of norm_warp_row without stages, apart from those with them so that no file is long to compile.

#include "norm/registers/warp_row.cuh"

namespace gpuopt {

#define GPUOPT_WARP_ROW_(T, norm, V, adds, any) \
  template __global__ void norm_warp_row_kernel<T, norm, V, adds, any>(const __grid_constant__ RowWork<T>, int, int);
GPUOPT_WARP_ROW_INSTANCES(GPUOPT_WARP_ROW_, false)
GPUOPT_WARP_ROW_INSTANCES(GPUOPT_WARP_ROW_, true)

}  // namespace gpuopt
