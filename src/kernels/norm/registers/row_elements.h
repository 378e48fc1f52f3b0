// Few short rows that begin anywhere, by elements, as the host knows them: row_elements.cuh has the kernel.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kElements = 4;  // of a thread
constexpr int kElementThreads = 672, kElementRegisters = 40;

// Compiled in common/row_elements.cu.
template <class T, int kNorm, int E>
__global__ void norm_block_elements_kernel(const __grid_constant__ RowWork<T> work);

#define GPUOPT_BLOCK_ELEMENTS_INSTANCES(X) GPUOPT_ROW_INSTANCES_OF(X, kElements)

}  // namespace gpuopt
