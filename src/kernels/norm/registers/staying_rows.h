// The kernels of norm_staying_rows as the host knows them.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kStayingThreads = 256;  // of a block at most
constexpr int kMostStaying = 4;       // vectors of a thread

// Whether a vector's registers take the next row's as soon as it is widened, in place of registers of its own for that.
constexpr bool staying_refills(bool narrow, bool chain) { return narrow && chain; }

// Blocks of an SM, of that size, that registers are to be enough for.
constexpr int staying_blocks(bool narrow, bool layer, int vectors, bool adds, bool any, bool chain) {
  if (staying_refills(narrow, chain)) return vectors == 1 ? 4 : layer && any && vectors == kMostStaying ? 2 : 3;
  if (vectors <= 2) return adds && any ? 2 : adds || chain || any ? 3 : 4;
  return adds || vectors == kMostStaying || (any && chain) ? 2 : 3;
}

// Compiled in common/staying_rows*.cu. classes: of rows that begin alike, where each of a block's warps has rows of its own; 0:
// the block has.
template <class T, int kNorm, int V, bool kAdds, bool kAny, class Chain>
__global__ void norm_staying_rows_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ Chain chain,
                                         int32_t classes);

// Those there are: X(T, norm, V, adds, any, Chain).
#define GPUOPT_STAYING_TYPES_(X, ...) X(float, __VA_ARGS__) X(__half, __VA_ARGS__) X(__nv_bfloat16, __VA_ARGS__)
#define GPUOPT_STAYING_SHAPES_(X, norm, ...)     \
  GPUOPT_STAYING_TYPES_(X, norm, 1, __VA_ARGS__) \
  GPUOPT_STAYING_TYPES_(X, norm, 2, __VA_ARGS__) \
  GPUOPT_STAYING_TYPES_(X, norm, 3, __VA_ARGS__) GPUOPT_STAYING_TYPES_(X, norm, 4, __VA_ARGS__)
#define GPUOPT_STAYING_INSTANCES(X, any, Chain)                       \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_LAYERNORM, false, any, Chain) \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_RMSNORM, false, any, Chain)
#define GPUOPT_STAYING_SUM_INSTANCES(X, any)                           \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_LAYERNORM, true, any, NoChain) \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_RMSNORM, true, any, NoChain)

}  // namespace gpuopt
