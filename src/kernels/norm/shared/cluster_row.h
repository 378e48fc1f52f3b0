// cluster_row.cuh as the host knows it.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kClusterRowThreads = 416, kClusterRowWarps = 16,
              kMostClusterBlocks = 16;  // room for more, a power of two, warps

// Compiled in common/cluster_rows.cu. piece: vectors of the row that a block has; the last block may have fewer. kAny: rows begin
// anywhere; kAdds: a residual.
template <class T, int kNorm, bool kAny, bool kAdds>
__global__ void norm_cluster_row_kernel(const __grid_constant__ RowWork<T> work, int32_t piece);

// Those there are: X(T, norm, any, adds).
#define GPUOPT_CLUSTER_ROW_INSTANCES(X)    \
  GPUOPT_ROW_INSTANCES_OF(X, false, false) \
  GPUOPT_ROW_INSTANCES_OF(X, true, false)  \
  GPUOPT_ROW_INSTANCES_OF(X, true, true)

}  // namespace gpuopt
