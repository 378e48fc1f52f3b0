// A line's ARG found by a warp, and as one word.
#pragma once

#include "reduce/common/lanes.cuh"

namespace gpuopt {

// Whether a key and an index within a row (32 bits each then) go into one word, whose least is the first of the best.
template <class Op>
constexpr bool kIsOneWord = std::is_same_v<Op, Arg<float>>;
__host__ __device__ inline uint64_t word_of(KeyAt<uint32_t> x) {
  return uint64_t{x.key} << 32 | static_cast<uint32_t>(x.index);
}
__host__ __device__ inline KeyAt<uint32_t> of_word(uint64_t word) {
  return {static_cast<uint32_t>(word >> 32), static_cast<int64_t>(word & 0xffffffffu)};
}

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
