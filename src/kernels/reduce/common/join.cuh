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

// A key before a position: of such words the least is the first of the best. And whether an op's partials are such words.
__device__ __forceinline__ uint64_t element_word(uint32_t key, uint32_t position) {
  return uint64_t{key} << 32 | position;
}
__device__ __forceinline__ KeyAt<uint32_t> of_element_word(uint64_t word) {
  return {static_cast<uint32_t>(word >> 32), static_cast<int64_t>(static_cast<uint32_t>(word))};
}
template <class Op>
constexpr bool kIsElementWord = std::is_same_v<Op, Arg<float>>;
// The least of a warp's words, in all its lanes.
__device__ __forceinline__ uint64_t least_of_warp(uint64_t word) {
#if __CUDA_ARCH__ >= 800
  const auto key = static_cast<uint32_t>(word >> 32), least = __reduce_min_sync(~0u, key);
  return element_word(least, __reduce_min_sync(~0u, key == least ? static_cast<uint32_t>(word) : ~0u));
#else
  using Least = Extreme<double>;
  return join_lanes_all<Least>(word, kWarp);
#endif
}

}  // namespace gpuopt
