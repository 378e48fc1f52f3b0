// A line's ARG found by a warp.
#pragma once

#include "reduce/common/lanes.cuh"

namespace gpuopt {

// As resolve(), for the partial of lane 0, by a whole warp: an element a lane.
template <int N, class Op, class T>
__device__ __forceinline__ typename Op::Partial resolve_by_warp(const Op &op, typename Op::Partial of_line,
                                                                const T *line, int64_t length) {
  if constexpr (std::is_same_v<Op, Arg<typename Op::Computed>>) {
    const int lane = threadIdx.x % kWarp;
    const int64_t first = __shfl_sync(~0u, of_line.index, 0);
    const auto key = __shfl_sync(~0u, of_line.key, 0);
    const bool is_it = lane < N && lane < length - first &&
                       to_key(widen<typename Op::Computed>(line[first + lane]), op.state.most) == key;
    const uint32_t found = __ballot_sync(~0u, is_it);
    if (found != 0) of_line.index += __ffs(static_cast<int>(found)) - 1;
  }
  return of_line;
}

}  // namespace gpuopt
