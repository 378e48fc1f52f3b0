// Instances of norm_warp_row with stages, apart from the others so that no file is long to compile.

#include "norm/registers/warp_row.cuh"

namespace gpuopt {

#define GPUOPT_WARP_STAGES_(T, norm, unused) \
  template __global__ void norm_warp_stages_kernel<T, norm>(const __grid_constant__ RowWork<T>, int, int);
#define GPUOPT_WARP_LINEAR_(T, norm, any)                                                            \
  template __global__ void norm_warp_linear_kernel<T, norm, any>(const __grid_constant__ RowWork<T>, \
                                                                 const __grid_constant__ RowLinear, int, int);
GPUOPT_ROW_INSTANCES_OF(GPUOPT_WARP_STAGES_, 0)
GPUOPT_LINEAR_INSTANCES(GPUOPT_WARP_LINEAR_, false)
GPUOPT_LINEAR_INSTANCES(GPUOPT_WARP_LINEAR_, true)

}  // namespace gpuopt
