// Instances of reduce_columns_vec16 for few rows.

#include "reduce/columns/columns_few.cuh"

namespace gpuopt {

#define GPUOPT_FEW_OF_(dtype, op, pieces)                                                                 \
  template __global__ void reduce_few_rows<dtype, op, pieces, 1>(const __grid_constant__ FewRows);        \
  template __global__ void reduce_few_rows<dtype, op, pieces, kFewRows>(const __grid_constant__ FewRows); \
  template __global__ void reduce_rows_by_warps<dtype, op, pieces>(const __grid_constant__ FewRows);
#define GPUOPT_FEW_(dtype)              \
  GPUOPT_FEW_OF_(dtype, kSum, true)     \
  GPUOPT_FEW_OF_(dtype, kSum, false)    \
  GPUOPT_FEW_OF_(dtype, kExtreme, true) \
  GPUOPT_FEW_OF_(dtype, kExtreme, false)
GPUOPT_FEW_(GPUOPT_F32)
GPUOPT_FEW_(GPUOPT_F16)
GPUOPT_FEW_(GPUOPT_BF16)

}  // namespace gpuopt
