// The kernels of norm_warp_row as the host knows them.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kWarpRowThreads = 256;
constexpr int kVectorsOfLane = 4;

// Stages take registers, used or not, and so have kernels of their own, of smaller blocks.
constexpr int kWarpChainThreads = 128;

// Compiled in common/warp_row*.cu.
template <class T, int kNorm, int V, int kMode>
__global__ void norm_warp_row_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2);
template <class T, int kNorm>
__global__ void norm_warp_stages_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2);
template <class T, int kNorm>
__global__ void norm_warp_linear_kernel(const __grid_constant__ RowWork<T> work,
                                        const __grid_constant__ RowLinear chain, int lanes, int lanes_log2);

}  // namespace gpuopt
