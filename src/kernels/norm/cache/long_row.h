// long_row.cuh as the host knows it.
#pragma once

#include "norm/common/row_chain.h"

namespace gpuopt {

// Rows that are not aligned take registers to shift their weights.
template <bool kAligned>
constexpr int kLongThreads = kAligned ? 512 : 256;
constexpr int kLongAhead = 4, kLongAgain = 2;  // vectors of a thread that are under way in each reading

// Compiled in common/long_rows.cu.
template <class T, int kNorm, bool kAligned>
__global__ void norm_long_row_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ RowChain stages);

}  // namespace gpuopt
