// Instances of reduce_rows.

#include "reduce/common/every_choice.cuh"
#include "reduce/rows/rows.cuh"

namespace gpuopt {

#define GPUOPT_ROWS_(dtype, op) template __global__ void reduce_rows_kernel<dtype, op>(OpState, RowWalk, ReduceOutput);
#define GPUOPT_WHOLE_ROWS_(dtype, op) \
  template __global__ void reduce_rows_kernel<dtype, op, true>(OpState, RowWalk, ReduceOutput);
GPUOPT_REDUCE_CHOICES(GPUOPT_ROWS_)
GPUOPT_WHOLE_ROWS_(GPUOPT_F32, kSum)
GPUOPT_WHOLE_ROWS_(GPUOPT_F16, kSum)
GPUOPT_WHOLE_ROWS_(GPUOPT_BF16, kSum)
GPUOPT_WHOLE_ROWS_(GPUOPT_F32, kExtreme)
GPUOPT_WHOLE_ROWS_(GPUOPT_F16, kExtreme)
GPUOPT_WHOLE_ROWS_(GPUOPT_BF16, kExtreme)
GPUOPT_WHOLE_ROWS_(GPUOPT_F32, kArg)
GPUOPT_WHOLE_ROWS_(GPUOPT_F16, kArg)
GPUOPT_WHOLE_ROWS_(GPUOPT_BF16, kArg)

}  // namespace gpuopt
