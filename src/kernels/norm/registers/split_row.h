// The kernels of norm_split_row as the host knows them.
#pragma once

#include "norm/common/row_chain.h"

namespace gpuopt {

// Threads of a block, blocks of a cluster at most, and vectors of a thread: one with whatever else belongs to a row, or as many as
// registers hold of softmax alone.
constexpr int kSplitThreads = 1024, kMostSplitBlocks = 16, kSplitVectors = 1;
constexpr int split_many_threads(bool f32) { return f32 ? 384 : 448; }
constexpr int split_many_vectors(bool f32) { return f32 ? 11 : 6; }

// Compiled in common/split_rows.cu. A cluster has a row. NoChain: results and weights are of x's type, too.
template <class T, int kNorm, bool kAny, class Chain>
__global__ void norm_split_row_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ Chain chain);
template <class T, int kNorm>
__global__ void norm_split_softmax_kernel(const __grid_constant__ RowWork<T> work);

// Those there are: X(T, norm, ...).
#define GPUOPT_SPLIT_ROW_INSTANCES(X)        \
  GPUOPT_ROW_INSTANCES_OF(X, false, NoChain) \
  GPUOPT_ROW_INSTANCES_OF(X, false, RowChain) GPUOPT_ROW_INSTANCES_OF(X, true, RowChain)
#define GPUOPT_SPLIT_SOFTMAX_OF_(X, T) X(T, GPUOPT_NORM_SOFTMAX, 0) X(T, GPUOPT_NORM_LOG_SOFTMAX, 0)
#define GPUOPT_SPLIT_SOFTMAX_INSTANCES(X) \
  GPUOPT_SPLIT_SOFTMAX_OF_(X, float)      \
  GPUOPT_SPLIT_SOFTMAX_OF_(X, __half) GPUOPT_SPLIT_SOFTMAX_OF_(X, __nv_bfloat16)

}  // namespace gpuopt
