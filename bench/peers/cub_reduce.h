// CUB's reductions: DeviceReduce for the whole matrix, DeviceSegmentedReduce for each row.
#pragma once
#include "../core/timing.h"

namespace gpuopt_bench {

struct CubReduction {
  int32_t reduce, axis, type;  // GPUOPT_REDUCE_*, GPUOPT_EACH_ROW ..., GPUOPT_F32 ...
  int64_t rows, cols;
};
bool cub_takes(const CubReduction &problem);
// Reduces operand 0 of the sets into operand 1.
Contender cub_contender(const OperandSets &sets, const CubReduction &problem, cudaStream_t stream);

}  // namespace gpuopt_bench
