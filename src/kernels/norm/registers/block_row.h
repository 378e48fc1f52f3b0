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
template <class T, int kNorm, int V, int kMode>
__global__ void norm_block_row_kernel(const __grid_constant__ RowWork<T> work);
template <class T, int kNorm, int kMode>
__global__ void norm_block_stages_kernel(const __grid_constant__ RowWork<T> work);
template <class T, int kNorm, int kThreads, int V>
__global__ void norm_block_linear_kernel(const __grid_constant__ RowWork<T> work,
                                         const __grid_constant__ RowLinear chain);
template <class T, int kNorm, int V>
__global__ void norm_alike_rows_kernel(const __grid_constant__ RowWork<T> work, const AlikeRows rows);

}  // namespace gpuopt
