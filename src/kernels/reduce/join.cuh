// Combining the partials of a block's threads, whatever the number of threads.
#ifndef GPUOPT_KERNELS_REDUCE_JOIN_CUH
#define GPUOPT_KERNELS_REDUCE_JOIN_CUH

#include "walk.cuh"

namespace gpuopt {
namespace reduce {

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
template <class Op>
__device__ __forceinline__ typename Op::Partial join_warp(typename Op::Partial x) {
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2) x = Op::combine(x, shuffle_down(x, distance));
  return x;
}

// The x of the whole block, in a fixed order; thread 0 gets the result. Threads come in whole warps. A block that
// calls it twice synchronises in between.
template <class Op>
__device__ __forceinline__ typename Op::Partial join_block(typename Op::Partial x) {
  __shared__ typename Op::Partial of_warp[kWarp];
  x = join_warp<Op>(x);
  const int warps = blockDim.x / kWarp, warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (warps == 1) return x;
  if (lane == 0) of_warp[warp] = x;
  __syncthreads();
  if (warp == 0) x = join_warp<Op>(lane < warps ? of_warp[lane] : Op::identity());
  return x;
}

}  // namespace reduce
}  // namespace gpuopt

#endif
