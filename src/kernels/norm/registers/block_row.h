// The kernels of norm_block_row as the host knows them.
#pragma once

#include "norm/registers/rows.h"

namespace gpuopt {

constexpr int kBlockRowThreads = 512;
constexpr int kFewVectors = 2, kManyVectors = 4, kMostVectors = kMostRowVectors;  // of a thread

constexpr int kFewLinearThreads = 256;

// Compiled in common/block_row*.cu.
template <class T, int kNorm, int V, bool kAdds, bool kAny>
__global__ void norm_block_row_kernel(const __grid_constant__ RowWork<T> work, const RowDeal deal);
template <class T, int kNorm, bool kAdds, bool kAny>
__global__ void norm_block_stages_kernel(const __grid_constant__ RowWork<T> work);
template <class T, int kNorm, int kThreads, int V, bool kAny>
__global__ void norm_block_linear_kernel(const __grid_constant__ RowWork<T> work,
                                         const __grid_constant__ RowLinear chain);

// Those there are: X(T, norm, V, adds, any).
#define GPUOPT_BLOCK_ROW_INSTANCES(X, any)             \
  GPUOPT_ROW_INSTANCES_OF(X, kFewVectors, false, any)  \
  GPUOPT_ROW_INSTANCES_OF(X, kManyVectors, false, any) \
  GPUOPT_ROW_INSTANCES_OF(X, kFewVectors, true, any)   \
  GPUOPT_ROW_INSTANCES_OF(X, kManyVectors, true, any)
#define GPUOPT_BLOCK_STAGES_INSTANCES(X) \
  GPUOPT_ROW_INSTANCES_OF(X, false, false) GPUOPT_ROW_INSTANCES_OF(X, false, true)
#define GPUOPT_BLOCK_SUM_STAGES_INSTANCES(X) GPUOPT_ROW_INSTANCES_OF(X, true, true)
#define GPUOPT_BLOCK_LINEAR_INSTANCES(X)                             \
  GPUOPT_LINEAR_INSTANCES(X, kFewLinearThreads, kManyVectors, false) \
  GPUOPT_LINEAR_INSTANCES(X, kBlockRowThreads, kManyVectors, false)  \
  GPUOPT_LINEAR_INSTANCES(X, kBlockRowThreads, kMostVectors, false)  \
  GPUOPT_LINEAR_INSTANCES(X, kBlockRowThreads, kManyVectors, true)
#define GPUOPT_BLOCK_ROW_LONGEST(X) GPUOPT_ROW_NORMS_(X, float, kMostVectors, false, false)

}  // namespace gpuopt
