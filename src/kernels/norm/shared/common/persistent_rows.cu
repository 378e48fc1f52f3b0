// Instances of norm_persistent_row, apart from what launches them.

#include "norm/shared/persistent_row.cuh"

namespace gpuopt {

#define GPUOPT_PERSISTENT_ROW_(T, norm, any)                                                            \
  template __global__ void norm_persistent_row_kernel<T, norm, any>(const __grid_constant__ RowWork<T>, \
                                                                    const PersistentWork);
GPUOPT_PERSISTENT_INSTANCES(GPUOPT_PERSISTENT_ROW_)

}  // namespace gpuopt
