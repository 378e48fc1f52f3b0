// The kernels of norm_warp_row: some lanes of a warp hold a row, alone, before interpreted stages, before a linear chain.
#pragma once

#include "norm/registers/rows.cuh"
#include "norm/registers/warp_row.h"

namespace gpuopt {

// Lanes of one warp, a power of two of them.
struct LaneGroup {
  int lanes;
  __device__ __forceinline__ int rank() const { return threadIdx.x & (lanes - 1); }
  __device__ __forceinline__ int size() const { return lanes; }
  template <int kNorm, bool kSame>
  __device__ __forceinline__ Moments join(const Moments &m, float n) const {
    return join_lanes<kNorm, 0>(m, n, lanes);
  }
};

template <class T, int kNorm, int V, bool kAdds, bool kAny>
__global__ void __launch_bounds__(kWarpRowThreads, blocks_at_once<kWarpRowThreads>(kWarpBlocks<V, kAdds, kAny>))
    norm_warp_row_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2) {
  LaneGroup group{lanes};
  const auto slot = static_cast<int32_t>((blockIdx.x * kWarpRowThreads + threadIdx.x) >> lanes_log2);
  norm_group_row<T, kNorm, V, kAdds, kAny>(work, NoChain{}, group, slot);
}

template <class T, int kNorm>
__global__ void __launch_bounds__(kWarpChainThreads, 4)
    norm_warp_stages_kernel(const __grid_constant__ RowWork<T> work, int lanes, int lanes_log2) {
  LaneGroup group{lanes};
  const auto slot = static_cast<int32_t>((blockIdx.x * kWarpChainThreads + threadIdx.x) >> lanes_log2);
  norm_group_row<T, kNorm, kVectorsOfLane, false, false>(work, Interpreted{}, group, slot);
}

template <class T, int kNorm, bool kAny>
__global__ void __launch_bounds__(kWarpChainThreads, kAny ? 6 : 8)
    norm_warp_linear_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ RowLinear chain, int lanes,
                            int lanes_log2) {
  LaneGroup group{lanes};
  const auto slot = static_cast<int32_t>((blockIdx.x * kWarpChainThreads + threadIdx.x) >> lanes_log2);
  norm_group_row<T, kNorm, kVectorsOfLane, false, kAny>(work, chain, group, slot);
}

}  // namespace gpuopt
