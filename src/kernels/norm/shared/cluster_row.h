// The kernel of norm_cluster_row as the host knows it.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kClusterRowThreads = 512;
constexpr int kMostBlocks = 16;  // of a cluster

// Compiled in common/cluster_rows.cu.
template <class T, int kNorm, bool kAny>
__global__ void norm_cluster_row_kernel(const __grid_constant__ RowWork<T> work, int32_t piece, int32_t stages);

}  // namespace gpuopt
