// The kernels of norm_staying_rows as the host knows them.
#pragma once

#include <type_traits>

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kMostStaying = 4;  // vectors of a thread

// Threads of a block at most, which then fill a multiprocessor's registers. A thread holds a row in fp32 and the next one packed;
// what it takes beside, in the same units, is what compilers were seen to need. For rows that begin anywhere multiples of 256, so
// that each of eight beginnings has as many warps as the next; an SM counts them by 128.
constexpr int staying_threads(bool narrow, bool layer, int vectors, bool adds, bool any, bool chain) {
  const int held = vectors * ((narrow ? 8 : 4) + (adds ? 8 : 4)) + (adds ? 2 : 0);
  const int mean = !layer ? 0 : !narrow ? chain ? 19 : 11 : any ? 0 : 1;
  return held + mean <= 27 ? 1024 : held + mean <= 48 ? 768 : held + mean <= 49 && !any ? 640 : 512;
}
template <class T, int kNorm, int V, bool kAdds, bool kAny, class Chain>
constexpr int kStayingThreads = staying_threads(sizeof(T) == 2, kNorm == GPUOPT_NORM_LAYERNORM, V, kAdds, kAny,
                                                !std::is_same_v<Chain, NoChain>);

// A layer norm's two, a softmax's none.
constexpr int staying_weights(int32_t norm) {
  return norm == GPUOPT_NORM_LAYERNORM ? 2 : norm == GPUOPT_NORM_RMSNORM ? 1 : 0;
}
// Bytes of shared memory of a warp's weights.
constexpr int staying_warp_bytes(bool narrow, int weights, int vectors, bool any) {
  return weights == 0 ? 0 : vectors * 32 * (narrow ? 8 : 4) * 4 * weights + (any ? 512 : 0);
}

// What is the same for all rows: constants of a launch take no registers.
struct StayingRows {
  int32_t copies;  // of a block's weights, where each of its warps has rows of its own; 0: the block has
  int32_t step;    // rows from one to the next of a warp or block
  int64_t x_step, residual_step, out_step, sum_step;  // the same in bytes
  float per_element;                                  // 1 / columns
};

// Compiled in common/staying_rows*.cu.
template <class T, int kNorm, int V, bool kAdds, bool kAny, class Chain>
__global__ void norm_staying_rows_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ Chain chain,
                                         const __grid_constant__ StayingRows rows);

// Those there are: X(T, norm, V, adds, any, Chain).
#define GPUOPT_STAYING_TYPES_(X, ...) X(float, __VA_ARGS__) X(__half, __VA_ARGS__) X(__nv_bfloat16, __VA_ARGS__)
#define GPUOPT_STAYING_SHAPES_(X, norm, ...)     \
  GPUOPT_STAYING_TYPES_(X, norm, 1, __VA_ARGS__) \
  GPUOPT_STAYING_TYPES_(X, norm, 2, __VA_ARGS__) \
  GPUOPT_STAYING_TYPES_(X, norm, 3, __VA_ARGS__) GPUOPT_STAYING_TYPES_(X, norm, 4, __VA_ARGS__)
#define GPUOPT_STAYING_INSTANCES(X, any, Chain)                       \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_LAYERNORM, false, any, Chain) \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_RMSNORM, false, any, Chain)
#define GPUOPT_STAYING_SOFTMAX_INSTANCES(X, any)                      \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_SOFTMAX, false, any, NoChain) \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_LOG_SOFTMAX, false, any, NoChain)
#define GPUOPT_STAYING_SUM_INSTANCES(X, any)                           \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_LAYERNORM, true, any, NoChain) \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_RMSNORM, true, any, NoChain)

}  // namespace gpuopt
