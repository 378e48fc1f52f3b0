// Groups of threads that hold a row: rank() of size(), and join() over them all; n: the row's elements. kSame: every
// thread has as many elements as the next.
#pragma once

#include "norm/common/moments.cuh"

namespace gpuopt {

// A block of at most kWarps whole warps. Joins take turns in two pieces of shared memory, so one barrier is enough for each.
template <int kWarps>
struct BlockGroup {
  Moments (*partials)[kWarps];  // two
  int used = 0;
  __device__ __forceinline__ explicit BlockGroup(Moments (*shared)[kWarps]) : partials(shared) {}
  __device__ __forceinline__ int rank() const { return threadIdx.x; }
  __device__ __forceinline__ int size() const { return blockDim.x; }
  template <int kNorm, bool kSame>
  __device__ __forceinline__ Moments join(const Moments &m, float n) {
    float of_warp = n;
    if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) of_warp = kSame ? 32.0f * m.count : count_of_warp(m.count);
    return join_warps<kNorm>(join_lanes<kNorm, 32>(m, of_warp), n);
  }
  template <int kNorm>
  __device__ __forceinline__ Moments join_warps(const Moments &warp, float n) {
    Moments *const slots = partials[used++ % 2];  // the next but one is behind another barrier
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = warp;
    __syncthreads();
    const unsigned slot = threadIdx.x % kWarps;
    return join_lanes<kNorm, kWarps>(slot < blockDim.x / 32 ? slots[slot] : no_moments<kNorm>(), n);
  }
};

}  // namespace gpuopt
