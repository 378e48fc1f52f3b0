// Instances of reduce_rows_group.

#include "reduce/common/every_choice.cuh"
#include "reduce/rows/rows_group.cuh"

namespace gpuopt {

#define GPUOPT_GROUP_(loads, dtype, op) \
  template __global__ void reduce_group_##loads<dtype, op>(OpState, GroupWalk, ReduceOutput);
#define GPUOPT_VECTORS_(dtype, op) GPUOPT_GROUP_(vectors, dtype, op)
#define GPUOPT_PIECES_(op) GPUOPT_GROUP_(pieces, 1, op) GPUOPT_GROUP_(pieces, 3, op) GPUOPT_GROUP_(pieces, 4, op)
#define GPUOPT_ANY_(op) GPUOPT_GROUP_(any, 1, op) GPUOPT_GROUP_(any, 2, op) GPUOPT_GROUP_(any, 10, op)
GPUOPT_REDUCE_CHOICES(GPUOPT_VECTORS_)
GPUOPT_PIECES_(kSum)
GPUOPT_PIECES_(kExtreme)
GPUOPT_PIECES_(kArg)
GPUOPT_ANY_(kSum)
GPUOPT_ANY_(kDot)
GPUOPT_ANY_(kProduct)
GPUOPT_ANY_(kExtreme)
GPUOPT_ANY_(kArg)
GPUOPT_GROUP_(any, 10, kWideSum)

}  // namespace gpuopt
