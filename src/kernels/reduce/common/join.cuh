// Combining the partials of neighbouring lanes, all of which get the result.
#pragma once

#include "reduce/common/ops.cuh"

namespace gpuopt {

__device__ __forceinline__ uint32_t shuffle_across(uint32_t x, int by) { return __shfl_xor_sync(~0u, x, by); }
__device__ __forceinline__ uint64_t shuffle_across(uint64_t x, int by) { return __shfl_xor_sync(~0u, x, by); }
__device__ __forceinline__ float shuffle_across(float x, int by) { return __shfl_xor_sync(~0u, x, by); }
__device__ __forceinline__ double shuffle_across(double x, int by) { return __shfl_xor_sync(~0u, x, by); }
template <class K>
__device__ __forceinline__ KeyAt<K> shuffle_across(KeyAt<K> x, int by) {
  return {shuffle_across(x.key, by), __shfl_xor_sync(~0u, x.index, by)};
}

// The x of `width` (a power of two) neighbouring lanes; all of them get the result, to the bit. All lanes of a warp
// call it.
template <class Op>
__device__ __forceinline__ typename Op::Partial join_lanes_all(typename Op::Partial x, int width) {
  for (int distance = width / 2; distance > 0; distance /= 2) x = Op::combine(x, shuffle_across(x, distance));
  return x;
}

}  // namespace gpuopt
