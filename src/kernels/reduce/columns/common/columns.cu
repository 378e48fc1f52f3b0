// Instances of reduce_columns_vec16.

#include "reduce/columns/columns.cuh"
#include "reduce/columns/columns_plain.cuh"

namespace gpuopt {

#define GPUOPT_COLUMNS_(dtype, op)                                                                       \
  template __global__ void reduce_columns_kernel<dtype, op>(OpState, const __grid_constant__ ColumnWalk, \
                                                            const __grid_constant__ Meeting,             \
                                                            const __grid_constant__ ReduceOutput);
GPUOPT_REDUCE_DTYPES(GPUOPT_COLUMNS_, kSum)
GPUOPT_REDUCE_DTYPES(GPUOPT_COLUMNS_, kDot)
GPUOPT_REDUCE_DTYPES(GPUOPT_COLUMNS_, kProduct)
GPUOPT_REDUCE_DTYPES(GPUOPT_COLUMNS_, kExtreme)
GPUOPT_REDUCE_DTYPES(GPUOPT_COLUMNS_, kArg)
GPUOPT_REDUCE_DTYPES(GPUOPT_COLUMNS_, kSumOfSquares)
GPUOPT_REDUCE_WIDE(GPUOPT_COLUMNS_)

#define GPUOPT_PLAIN_(dtype) template __global__ void reduce_plain_columns<dtype>(const __grid_constant__ PlainColumns);
GPUOPT_PLAIN_(GPUOPT_F32)
GPUOPT_PLAIN_(GPUOPT_F16)
GPUOPT_PLAIN_(GPUOPT_BF16)

}  // namespace gpuopt
