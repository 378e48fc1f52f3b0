// The kernels of norm_block_row as the host knows them.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kBlockRowThreads = 512;
constexpr int kFewVectors = 2, kManyVectors = 4, kMostVectors = 8;  // of a thread

constexpr int kFewLinearThreads = 256;

// Rows that begin alike: vectors of a thread, and threads of a block at most, as registers allow. Blocks of two vectors
// are a warp, 32 an SM; of four, without a residual, two an SM.
constexpr int kAlikeVectors = 4, kManyAlikeVectors = 8;
constexpr int kMostAlikeThreads = 512;
constexpr int alike_threads(int32_t norm, bool f32, int vectors, bool adds, bool chain) {
  const bool layer = norm == GPUOPT_NORM_LAYERNORM, softmax = !layer && norm != GPUOPT_NORM_RMSNORM;
  if (vectors == kFewVectors) return 32;
  if (vectors == kAlikeVectors && !adds) return !f32 && (softmax || (chain && layer)) ? 320 : 384;
  return vectors == kManyAlikeVectors && f32 && !layer ? 384 : kMostAlikeThreads;
}
// Of 16 bytes each, that a vector of weights takes: 16-bit ones are held in fp32 where registers allow.
constexpr int held_parts(int32_t norm, bool f32, int vectors, bool adds, bool chain) {
  const bool tight = norm == GPUOPT_NORM_RMSNORM && vectors == kAlikeVectors && !adds && !chain;
  return f32 || tight || vectors > kAlikeVectors ? 1 : 2;
}
// Of a thread and weight: an odd number.
__host__ __device__ constexpr int held_vectors(int vectors, int parts) { return vectors * parts + 1; }
// Of the shared memory of a block of so many threads, with a layer norm's two weights or gamma.
constexpr int alike_bytes(int32_t norm, bool f32, int vectors, bool adds, bool chain) {
  const int weights = norm == GPUOPT_NORM_LAYERNORM ? 2 : norm == GPUOPT_NORM_RMSNORM ? 1 : 0;
  return alike_threads(norm, f32, vectors, adds, chain) * 16 * weights *
         held_vectors(vectors, held_parts(norm, f32, vectors, adds, chain));
}
constexpr int64_t kMostAlikeRows = 32;  // of a block, or little more
constexpr int64_t kLeastAlikeRow = 32;
constexpr int kLeastAlikeThreads = 32;  // head and tail have at most 2 (2 K - 1) elements

struct AlikeRows {
  int32_t classes;    // rows i and i + classes begin alike
  int32_t each;       // rows of a block
  int32_t of_matrix;  // blocks of a matrix
};

// Compiled in common/block_row*.cu.
template <class T, int kNorm, int V, bool kAdds, bool kAny>
__global__ void norm_block_row_kernel(const __grid_constant__ RowWork<T> work);
template <class T, int kNorm, int V, bool kAdds, class Chain>
__global__ void norm_alike_rows_kernel(const __grid_constant__ RowWork<T> work, const AlikeRows rows,
                                       const __grid_constant__ Chain chain);
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
  GPUOPT_LINEAR_INSTANCES(X, kBlockRowThreads, kManyVectors, true)
#define GPUOPT_BLOCK_LINEAR_LONG_INSTANCES(X) GPUOPT_LINEAR_INSTANCES(X, kBlockRowThreads, kMostVectors, false)
#define GPUOPT_ALIKE_INSTANCES(X)                               \
  GPUOPT_ROW_INSTANCES_OF(X, kFewVectors, false, NoChain)       \
  GPUOPT_ROW_INSTANCES_OF(X, kAlikeVectors, false, NoChain)     \
  GPUOPT_LINEAR_INSTANCES(X, kManyAlikeVectors, false, NoChain) \
  GPUOPT_LINEAR_INSTANCES(X, kAlikeVectors, true, NoChain)      \
  GPUOPT_LINEAR_INSTANCES(X, kFewVectors, false, RowLinear)     \
  GPUOPT_LINEAR_INSTANCES(X, kAlikeVectors, false, RowLinear)
#define GPUOPT_BLOCK_ROW_LONGEST(X) GPUOPT_ROW_NORMS_(X, float, kMostVectors, false, false)

}  // namespace gpuopt
