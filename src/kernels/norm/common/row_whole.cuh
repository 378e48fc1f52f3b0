// The common case of row.cuh: no residual, aligned, and each thread has V whole vectors of its row. Elements of 16
// bits stay two to a register, nothing is asked of a vector, and all weights are under way before the first is used.
#pragma once

#include "norm/common/row_work.cuh"
#include "norm/common/running_moments.cuh"

namespace gpuopt {

template <int kNorm, class T, int V, int K>
__device__ __forceinline__ Moments moments_of_vectors(const Bits<T, K> (&bits)[V]) {
  if constexpr (!kIsSoftmax<kNorm>) {
    RunningMoments<kNorm> running;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      float h[K];
      widen_bits(bits[v], h);
      running.add(h);
    }
    return running.result();
  } else {
    Moments m = no_moments<kNorm>();
    const auto each = [&](auto &&f) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        float h[K];
        widen_bits(bits[v], h);
#pragma unroll
        for (int e = 0; e < K; ++e) f(h[e]);
      }
    };
    each([&](float h) { m.first = greater(m.first, h); });
    const float origin = pivot(m.first);
    each([&](float h) { m.second += fast::exp(h - origin); });
    return m;
  }
}

// Vectors whose weights are under way at one time: as many as registers allow.
template <class T, int kNorm, int V>
constexpr int weights_ahead() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  if (sizeof(T) == 2 && kNorm == GPUOPT_NORM_LAYERNORM && V == 4) return 2;  // four of gamma and beta would spill
#endif
  return V <= 4 ? V : 1;
}

template <class T, int kNorm, bool kStages, int V, class Group, class Gamma, class Beta>
__device__ __forceinline__ void store_whole_row(const RowWork<T> &work, const Group &group, const RowFactors &row,
                                                const Bits<T, 16 / sizeof(T)> (&bits)[V], int32_t p, int32_t i,
                                                Gamma has_gamma, Beta has_beta) {
  constexpr int K = 16 / sizeof(T), kAhead = weights_ahead<T, kNorm, V>();
  const int32_t first = group.rank() * K, step = group.size() * K;
  T *const out = static_cast<T *>(work.out.data) + (p * work.out.batch_step + i * work.out.row_step) + first;
  const T *const gamma = static_cast<const T *>(work.gamma.data) + p * work.gamma.batch_step + first;
  const T *const beta = static_cast<const T *>(work.beta.data) + p * work.beta.batch_step + first;
#pragma unroll
  for (int at = 0; at < V; at += kAhead) {
    Bits<T, K> g[kAhead] = {}, b[kAhead] = {};
#pragma unroll
    for (int v = 0; v < kAhead; ++v) {
      if (has_gamma) g[v] = load_bits<T, K>(gamma + (at + v) * step);
      if (has_beta) b[v] = load_bits<T, K>(beta + (at + v) * step);
    }
#pragma unroll
    for (int v = 0; v < kAhead; ++v) {
      float h[K];
      widen_bits(bits[at + v], h);
      normalise<kNorm>(row, h);
      if (has_gamma) multiply(h, g[v]);
      if (has_beta) add(h, b[v]);
      if constexpr (kStages) {
        apply_row_stages(work.stages, h, [&](const View &view, float(&a)[K]) {
          widen_bits(load_bits<T, K>(start_of_row<T>(view, p, i) + first + (at + v) * step), a);
        });
      }
      store_bits(out + (at + v) * step, narrow_bits<T>(h));
    }
  }
}

// exists: whether there is such a row; where not, a row that exists has been read and nothing is written.
template <class T, int kNorm, bool kStages, int V, class Group>
__device__ __forceinline__ void norm_whole_row(const RowWork<T> &work, Group &group,
                                               const Bits<T, 16 / sizeof(T)> (&bits)[V], int32_t p, int32_t i,
                                               bool exists) {
  const auto n = static_cast<float>(work.cols);
  const Moments m = group.template join<kNorm, true>(moments_of_vectors<kNorm>(bits), n);
  const RowFactors row = factors_of<kNorm>(work, m, n);
  if (!exists) return;
  if (work.statistics.dtype != 0 && group.rank() == 0) store_statistics(work, p, i, row);
  const auto store = [&](auto has_gamma, auto has_beta) {
    store_whole_row<T, kNorm, kStages>(work, group, row, bits, p, i, has_gamma, has_beta);
  };
  with_weights<kNorm>(work, store);
}

template <class T, int V, int K, class Group>
__device__ __forceinline__ void load_whole_row(const T *x, const Group &group, Bits<T, K> (&bits)[V]) {
#pragma unroll
  for (int v = 0; v < V; ++v) bits[v] = load_bits<T, K>(x + (v * group.size() + group.rank()) * K);
}

}  // namespace gpuopt
