// Instances of reduce_rows_group.

#include "reduce/common/every_choice.cuh"
#include "reduce/rows/rows_group.cuh"

namespace gpuopt {

#define GPUOPT_GROUP_(loads, dtype, op) \
  template __global__ void reduce_group_##loads<dtype, op>(OpState, GroupWalk, ReduceOutput);
#define GPUOPT_VECTORS_(dtype, op) GPUOPT_GROUP_(vectors, dtype, op)
#define GPUOPT_ELEMENTS_(op) \
  GPUOPT_GROUP_(elements, 1, op) GPUOPT_GROUP_(elements, 3, op) GPUOPT_GROUP_(elements, 4, op)
#define GPUOPT_ANY_(op) GPUOPT_GROUP_(any, 1, op) GPUOPT_GROUP_(any, 2, op) GPUOPT_GROUP_(any, 10, op)
GPUOPT_REDUCE_CHOICES(GPUOPT_VECTORS_)
GPUOPT_ELEMENTS_(kSum)
GPUOPT_ELEMENTS_(kExtreme)
GPUOPT_ELEMENTS_(kArg)
GPUOPT_ANY_(kSum)
GPUOPT_ANY_(kDot)
GPUOPT_ANY_(kProduct)
GPUOPT_ANY_(kExtreme)
GPUOPT_ANY_(kArg)
GPUOPT_GROUP_(any, 10, kWideSum)

}  // namespace gpuopt
