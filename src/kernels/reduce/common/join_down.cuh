// Combining the partials of a warp; the first lane gets the result.
#pragma once

#include "reduce/common/ops.cuh"

namespace gpuopt {

__device__ __forceinline__ uint32_t shuffle_down(uint32_t x, int by) { return __shfl_down_sync(~0u, x, by); }
__device__ __forceinline__ uint64_t shuffle_down(uint64_t x, int by) { return __shfl_down_sync(~0u, x, by); }
__device__ __forceinline__ float shuffle_down(float x, int by) { return __shfl_down_sync(~0u, x, by); }
__device__ __forceinline__ double shuffle_down(double x, int by) { return __shfl_down_sync(~0u, x, by); }
template <class K>
__device__ __forceinline__ KeyAt<K> shuffle_down(KeyAt<K> x, int by) {
  return {shuffle_down(x.key, by), __shfl_down_sync(~0u, x.index, by)};
}

template <class Op>
__device__ __forceinline__ typename Op::Partial join_warp(typename Op::Partial x) {
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2) x = Op::combine(x, shuffle_down(x, distance));
  return x;
}

}  // namespace gpuopt
