// The kernels of norm_warp_row as the host knows them.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kWarpRowThreads = 256;
constexpr int kVectorsOfLane = 4, kFewOfLane = 2;
// Blocks an SM that registers are to be enough for.
template <int V, bool kAdds, bool kAny>
constexpr int kWarpBlocks = (V == kFewOfLane ? 5 : 4) - (kAdds ? 1 : 0) - (kAny ? 1 : 0);

// Stages take registers, used or not, and so have kernels of their own, of smaller blocks.
constexpr int kWarpChainThreads = 128;

// Compiled in common/warp_row*.cu.
template <class T, int kNorm, int V, bool kAdds, bool kAny>
__global__ void norm_warp_row_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2);
template <class T, int kNorm>
__global__ void norm_warp_stages_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2);
template <class T, int kNorm, bool kAny>
__global__ void norm_warp_linear_kernel(const __grid_constant__ RowWork<T> work,
                                        const __grid_constant__ RowLinear chain, int lanes, int lanes_log2);

// Those there are: X(T, norm, V, adds, any).
#define GPUOPT_WARP_ROW_INSTANCES(X, any)                \
  GPUOPT_ROW_INSTANCES_OF(X, kFewOfLane, false, any)     \
  GPUOPT_ROW_INSTANCES_OF(X, kVectorsOfLane, false, any) \
  GPUOPT_ROW_INSTANCES_OF(X, kVectorsOfLane, true, any)

}  // namespace gpuopt
