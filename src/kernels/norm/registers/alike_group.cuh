// Statistics of rows that one group of threads takes one after the other: how many elements a thread and a warp have is the
// same for all of them.
#pragma once

#include "norm/common/groups.cuh"
#include "norm/registers/rows_part.cuh"

namespace gpuopt {

// Where a thread's elements are in all of a block's rows.
struct AlikeCut {
  RowCut row;
  bool has_single;
  int mine;               // vectors
  int32_t first, single;  // elements before its first vector, and from that to its element of head or tail
  uint32_t step;          // bytes from a vector to its next
};

// A block of at most kWarps, or a warp that has no use for barriers.
template <int kWarps>
struct AlikeGroup : BlockGroup<kWarps> {
  bool is_warp;
  float of_thread, of_warp, per_warp;  // elements, and the inverse
  __device__ __forceinline__ AlikeGroup(Moments (*shared)[kWarps], bool one_warp)
      : BlockGroup<kWarps>(shared), is_warp(one_warp) {}
  __device__ __forceinline__ void hold(const AlikeCut &cut, int elements) {
    of_thread = static_cast<float>(cut.mine * elements + (cut.has_single ? 1 : 0));
    of_warp = count_of_warp(of_thread);
    per_warp = of_warp > 0 ? 1.0f / of_warp : 0.0f;
  }
  // The statistics of a row of n elements. 16-bit elements, whose spread is never small beside their size, have one origin a
  // warp, so that its lanes' sums are joined as they are.
  template <int kNorm, class Part>
  __device__ __forceinline__ Moments statistics(Part &part, const AlikeCut &cut, float n) {
    constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM, kOfWarp = kLayer && Part::K == 8;
    Moments m = no_moments<kNorm>();
    float sum, squares, count;  // which is of_thread
    float origin = part.template origin<kNorm>(cut.mine, cut.has_single, m.first);
    if constexpr (kOfWarp) origin = __shfl_sync(~0u, origin, 0);  // the first has elements if any has
    part.template sums<kNorm>(origin, cut.mine, cut.has_single, sum, squares, count);
    if constexpr (kOfWarp) {
#pragma unroll
      for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(~0u, sum, offset);
        squares += __shfl_xor_sync(~0u, squares, offset);
      }
      m = moments_of_distances(of_warp, origin, sum, squares, sum * per_warp);
    } else {
      if constexpr (kLayer)
        m = moments_of_distances(of_thread, origin, sum, squares);
      else
        m.second = kIsSoftmax<kNorm> ? sum : squares;
      m = join_lanes<kNorm, 32>(m, of_warp);
    }
    return is_warp ? m : this->template join_warps<kNorm>(m, n);
  }
};

}  // namespace gpuopt
