// A norm's operands as the kernels with a row in registers take them, and what the statistics make of an element.
#ifndef GPUOPT_KERNELS_NORM_ROW_WORK_CUH
#define GPUOPT_KERNELS_NORM_ROW_WORK_CUH

#include "norm/moments.cuh"
#include "norm/row_stages.cuh"

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

template <class T>
struct RowWork {
  View x, residual, out, sum, gamma, beta, statistics;  // dtype 0: absent
  int32_t rows, cols, batch;
  float eps;
  RowStages stages;
};

template <class T>
__device__ __forceinline__ const T *start_of_row(const View &view, int32_t p, int32_t i) {
  return static_cast<const T *>(view.data) + (p * view.batch_step + i * view.row_step);
}

struct RowFactors {
  float centre;       // mean, 0 or the greatest
  float spread;       // as statistics has it: rstd or the sum of exponentials
  float scale, move;  // h -> h * scale + move; SOFTMAX: exp(h - centre) * scale; LOG_SOFTMAX: h - centre + move
};

template <int kNorm, class T>
__device__ __forceinline__ RowFactors factors_of(const RowWork<T> &work, const Moments &m, float n) {
  RowFactors row = {};
  if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) row.centre = m.first / n;
  if constexpr (kIsSoftmax<kNorm>) row.centre = m.first;
  row.spread = kIsSoftmax<kNorm> ? m.second : rsqrtf(m.second / n + work.eps);
  row.scale = kNorm == GPUOPT_NORM_SOFTMAX ? 1.0f / row.spread : row.spread;
  row.move = kNorm == GPUOPT_NORM_LOG_SOFTMAX ? -logf(row.spread) : -row.centre * row.spread;
  return row;
}

// Elements of 16 bits are coarser than what one multiplication and addition in fp32 lose against first subtracting the
// mean.
template <int kNorm, class T>
__device__ __forceinline__ float normalised(const RowFactors &row, float h) {
  if constexpr (kNorm == GPUOPT_NORM_SOFTMAX) return fast::exp(h - row.centre) * row.scale;
  if constexpr (kNorm == GPUOPT_NORM_LOG_SOFTMAX) return h - row.centre + row.move;
  if constexpr (kNorm == GPUOPT_NORM_RMSNORM) return h * row.scale;
  return sizeof(T) == 2 ? h * row.scale + row.move : (h - row.centre) * row.scale;
}

template <class T>
__device__ __forceinline__ void store_statistics(const RowWork<T> &work, int32_t p, int32_t i, const RowFactors &row) {
  float *const statistics = static_cast<float *>(work.statistics.data);
  statistics[work.statistics.offset(p, i, 0)] = row.centre;
  statistics[work.statistics.offset(p, i, 1)] = row.spread;
}

}  // namespace gpuopt

#endif
