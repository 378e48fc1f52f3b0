// Instances of reduce_one_launch.

#include "reduce/line/whole_line.cuh"

namespace gpuopt {

#define GPUOPT_LINE_(dtype, ...)                                                                         \
  template __global__ void reduce_whole_line<dtype, __VA_ARGS__>(const __grid_constant__ WholeLine line, \
                                                                 const __grid_constant__ ReduceOutput output);
#define GPUOPT_FEW_(dtype, op) GPUOPT_LINE_(dtype, op, kFewThreads)
#define GPUOPT_ROWS_(dtype)                      \
  GPUOPT_LINE_(dtype, kSum, kFewThreads, true)   \
  GPUOPT_LINE_(dtype, kSum, kWholeThreads, true) \
  GPUOPT_LINE_(dtype, kArg, kFewThreads, true)   \
  GPUOPT_LINE_(dtype, kArg, kWholeThreads, true)
GPUOPT_REDUCE_DTYPES(GPUOPT_LINE_, kSum)
GPUOPT_REDUCE_DTYPES(GPUOPT_LINE_, kExtreme)
GPUOPT_REDUCE_DTYPES(GPUOPT_LINE_, kArg)
GPUOPT_REDUCE_DTYPES(GPUOPT_LINE_, kSumOfSquares)
GPUOPT_REDUCE_DTYPES(GPUOPT_LINE_, kSumOfMagnitudes)
GPUOPT_REDUCE_WIDE(GPUOPT_LINE_)
GPUOPT_REDUCE_DTYPES(GPUOPT_FEW_, kSum)
GPUOPT_FEW_(GPUOPT_F32, kArg)
GPUOPT_FEW_(GPUOPT_F16, kArg)
GPUOPT_FEW_(GPUOPT_BF16, kArg)
GPUOPT_FEW_(GPUOPT_E4M3, kArg)
GPUOPT_FEW_(GPUOPT_E5M2, kArg)
GPUOPT_ROWS_(GPUOPT_F32)
GPUOPT_ROWS_(GPUOPT_F16)
GPUOPT_ROWS_(GPUOPT_BF16)

}  // namespace gpuopt
