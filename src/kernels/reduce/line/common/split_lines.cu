// Instances of reduce_split_lines.

#include "reduce/common/every_choice.cuh"
#include "reduce/line/split_lines.cuh"

namespace gpuopt {

#define GPUOPT_LINE_(dtype, op) \
  template __global__ void reduce_line_kernel<dtype, op>(OpState, LineWalk, Meeting, ReduceOutput);
GPUOPT_REDUCE_CHOICES(GPUOPT_LINE_)

}  // namespace gpuopt
