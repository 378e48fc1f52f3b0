// Where a row's operands lie, and what statistics and weights make of its elements.
#pragma once

#include "common/bits.cuh"
#include "norm/common/moments.cuh"
#include "norm/common/row_work.h"

namespace gpuopt {

// Of the blocks an SM that a kernel wants registers to be enough for, those for which it has threads.
template <int kThreads>
constexpr int blocks_at_once(int wanted) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
  constexpr int kMost = 2048;
#elif __CUDA_ARCH__ < 800
  constexpr int kMost = 1024;
#else
  constexpr int kMost = 1536;
#endif
  return wanted * kThreads > kMost ? kMost / kThreads : wanted;
}

// The row in x, a residual or a stage's matrix; that which is written, in out or the sum; and the matrix' weights.
template <class T>
__device__ __forceinline__ const T *start_of_row(const View &view, int32_t p, int32_t i) {
  return static_cast<const T *>(view.data) + (p * view.batch_step + i * view.row_step);
}
template <class T>
__device__ __forceinline__ T *start_of_result(const View &view, int32_t p, int32_t i) {
  return static_cast<T *>(view.data) + (p * view.batch_step + i * view.row_step);
}
template <class T>
__device__ __forceinline__ const T *start_of_weights(const View &view, int32_t p) {
  return static_cast<const T *>(view.data) + p * view.batch_step;
}

struct RowFactors {
  float centre;       // mean, 0 or the greatest
  float spread;       // as statistics has it: rstd or the sum of exponentials
  float scale, move;  // LAYERNORM: (h - centre) * scale + move; RMSNORM: h * scale; SOFTMAX: exp(h - centre) * scale;
                      // LOG_SOFTMAX: h - centre + move
};

template <int kNorm, class T>
__device__ __forceinline__ RowFactors factors_of(const RowWork<T> &work, const Moments &m, float n) {
  RowFactors row = {};
  if constexpr (kIsSoftmax<kNorm>) row.centre = m.first;
  row.spread = kIsSoftmax<kNorm> ? m.second : rsqrtf(m.second / n + work.eps);
  row.scale = kNorm == GPUOPT_NORM_SOFTMAX ? 1.0f / row.spread : row.spread;
  if constexpr (kNorm == GPUOPT_NORM_LOG_SOFTMAX) row.move = -logf(row.spread);
  if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
    row.centre = m.mean;
    row.move = -m.first * row.scale;
  }
  return row;
}

template <int kNorm>
__device__ __forceinline__ float normalised(const RowFactors &row, float h) {
  if constexpr (kNorm == GPUOPT_NORM_SOFTMAX) return fast::exp(h - row.centre) * row.scale;
  if constexpr (kNorm == GPUOPT_NORM_LOG_SOFTMAX) return h - row.centre + row.move;
  if constexpr (kNorm == GPUOPT_NORM_RMSNORM) return h * row.scale;
  return (h - row.centre) * row.scale + row.move;
}

template <int kNorm, int K>
__device__ __forceinline__ void normalise(const RowFactors &row, float (&h)[K]) {
#pragma unroll
  for (int e = 0; e < K; ++e) h[e] = normalised<kNorm>(row, h[e]);
}
// By gamma's elements, and beta's or a residual's added.
template <class T, int K>
__device__ __forceinline__ void multiply(float (&h)[K], const Bits<T, K> &bits) {
  float a[K];
  widen_bits(bits, a);
#pragma unroll
  for (int e = 0; e < K; ++e) h[e] *= a[e];
}
template <class T, int K>
__device__ __forceinline__ void add(float (&h)[K], const Bits<T, K> &bits) {
  float a[K];
  widen_bits(bits, a);
#pragma unroll
  for (int e = 0; e < K; ++e) h[e] += a[e];
}

// f(gamma, beta: whether there are such weights), as constants where both or gamma alone are there.
template <int kNorm, class T, class F>
__device__ __forceinline__ void with_weights(const RowWork<T> &work, F &&f) {
  using std::bool_constant;
  const bool gamma = work.gamma.dtype != 0, beta = work.beta.dtype != 0;
  if constexpr (kIsSoftmax<kNorm>) {
    f(bool_constant<false>{}, bool_constant<false>{});
  } else if (gamma && beta) {
    f(bool_constant<true>{}, bool_constant<true>{});
  } else if (gamma) {
    f(bool_constant<true>{}, bool_constant<false>{});
  } else {
    f(bool_constant<false>{}, beta);
  }
}

template <class T>
__device__ __forceinline__ void store_statistics(const RowWork<T> &work, int32_t p, int32_t i, const RowFactors &row) {
  float *const statistics = static_cast<float *>(work.statistics.data) + work.statistics.offset(p, i, 0);
  int64_t step = work.statistics.col_step;
  asm volatile("" : "+l"(step));  // rare: not to be kept from row to row
  statistics[0] = row.centre;
  statistics[step] = row.spread;
}

}  // namespace gpuopt
