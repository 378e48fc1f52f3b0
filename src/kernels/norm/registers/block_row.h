// The kernels of norm_block_row as the host knows them.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kBlockRowThreads = 512;
constexpr int kFewVectors = 2, kManyVectors = 4, kMostVectors = 8;  // of a thread

constexpr int kFewLinearThreads = 256;

// Of a block at most, and the blocks of that size for which an SM's registers are to be enough.
constexpr int kAlikeThreads = 256, kAlikeBlocks = 2;
constexpr int kAlikeVectors = 4;       // of a thread
constexpr int kAlikeElements = 8;      // of a vector
constexpr int64_t kMostAlikeRows = 8;  // of a block, or little more

constexpr int kLeastAlikeThreads = 32;  // head and tail have at most 2 (2 K - 1) elements

struct AlikeRows {
  int32_t classes;    // rows i and i + classes begin alike
  int32_t each;       // rows of a block
  int32_t of_matrix;  // blocks of a matrix
};

// Compiled in common/block_row*.cu.
template <class T, int kNorm, int V, bool kAdds, bool kAny>
__global__ void norm_block_row_kernel(const __grid_constant__ RowWork<T> work);
template <class T, int kNorm, int V>
__global__ void norm_alike_rows_kernel(const __grid_constant__ RowWork<T> work, const AlikeRows rows);
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
