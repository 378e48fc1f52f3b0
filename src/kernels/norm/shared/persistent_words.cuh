// The statistics of a row's slices as words in global memory, by which the blocks that share a row meet: the idea stands in
// persistent_row.cuh. A word says by its sign bit that it is there, so no order between accesses is needed.
#pragma once

#include <cuda/atomic>

#include "norm/common/row_part.cuh"
#include "norm/shared/persistent_row.h"

namespace gpuopt {

constexpr int kWordsOfLane = kMostSlices / 32;  // a warp reads the words of a row

// The row's vectors in as many slices as a group has blocks, in whole lines of memory, the first ones a line longer where they
// do not come out even; what is less than a line is the last one's.
struct RowSlices {
  static constexpr int32_t kLine = 128 / 16;
  int32_t each, more, slices, rest;
  __device__ __forceinline__ RowSlices(int32_t vectors, int32_t all)
      : each(vectors / kLine / all), more(vectors / kLine % all), slices(all), rest(vectors % kLine) {}
  __device__ __forceinline__ int32_t first(int32_t slice) const { return (slice * each + min(slice, more)) * kLine; }
  __device__ __forceinline__ int32_t count(int32_t slice) const {
    return (each + (slice < more ? 1 : 0)) * kLine + (slice == slices - 1 ? rest : 0);
  }
};

__device__ __forceinline__ void publish(uint64_t *word, uint64_t value) {
  cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*word).store(value, cuda::memory_order_relaxed);
}
__device__ __forceinline__ uint64_t look(uint64_t *word) {
  return cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*word).load(cuda::memory_order_relaxed);
}

// The mean's distance from the row's origin and squares, or greatest element and sum of exponentials. The second
// is no negative number.
template <int kNorm>
__device__ __forceinline__ uint64_t word_of(const Moments &m, float origin) {
  const float first = kNorm == GPUOPT_NORM_LAYERNORM ? (m.mean - origin) + m.first : m.first;
  const uint32_t second = bits_as<uint32_t>(m.second) | 0x80000000u;
  return static_cast<uint64_t>(second) << 32 | bits_as<uint32_t>(first);
}

// The words of a row, by one warp.
template <int kNorm, int K>
struct RowWords {
  uint64_t seen[kWordsOfLane];

  __device__ __forceinline__ void ask(uint64_t *words, int32_t slices) {
    const auto lane = static_cast<int32_t>(threadIdx.x % 32);
#pragma unroll
    for (int w = 0; w < kWordsOfLane; ++w)
      seen[w] = w * 32 + lane < slices ? look(words + w * 32 + lane) : ~uint64_t{0};
  }
  __device__ __forceinline__ bool complete() const {
    bool all = true;
#pragma unroll
    for (int w = 0; w < kWordsOfLane; ++w) all = all && seen[w] >> 63 != 0;
    return __all_sync(~0u, all);
  }
  // f(first, second, elements) for the slices of this lane.
  template <class F>
  __device__ __forceinline__ void each(const RowSlices &cut, int32_t slices, F &&f) const {
    const auto lane = static_cast<int32_t>(threadIdx.x % 32);
#pragma unroll
    for (int w = 0; w < kWordsOfLane; ++w) {
      const int32_t slice = w * 32 + lane;
      if (slice < slices)
        f(bits_as<float>(static_cast<uint32_t>(seen[w])),
          bits_as<float>(static_cast<uint32_t>(seen[w] >> 32) & 0x7fffffffu), static_cast<float>(cut.count(slice) * K));
    }
  }
  // origin: the row's.
  __device__ __forceinline__ Moments join(uint64_t *words, const RowSlices &cut, int32_t slices, float n,
                                          float origin) {
    while (!complete()) ask(words, slices);
    Moments m = no_moments<kNorm>();
    if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
      each(cut, slices, [&](float mean, float, float count) {
        m.count += count;
        m.first += mean * count;
      });
      m.first = m.count > 0 ? __fdividef(m.first, m.count) : 0.0f;
      each(cut, slices, [&](float mean, float squares, float count) {
        m.second += squares + count * (mean - m.first) * (mean - m.first);
      });
    } else if constexpr (kNorm == GPUOPT_NORM_RMSNORM) {
      each(cut, slices, [&](float, float squares, float) { m.second += squares; });
    } else {
      each(cut, slices, [&](float greatest, float, float) { m.first = greater(m.first, greatest); });
      const float origin = pivot(m.first);
      each(cut, slices, [&](float greatest, float sum, float) { m.second += sum * fast::exp(greatest - origin); });
    }
    m = join_lanes<kNorm, 32>(m, n);
    if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
      const SplitMean<float> mean = split_mean(origin, m.mean + m.first);
      m = {n, mean.high, mean.low, m.second};
    }
    return m;
  }
};

}  // namespace gpuopt
