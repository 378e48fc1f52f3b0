// A row that begins anywhere, an element of it to a thread and step: for few rows, whose time is latency, not bytes.
//
// Idea and data movement: a kernel's code comes from the second-level cache at every launch, and what cuts rows at vectors and
// shifts them into place is longer than a short row. Here neighbouring threads read neighbouring elements, all steps of x, a
// residual and the weights are under way before the first is used, and code is what counts: two plain sums over the block for
// a mean and its squares take less of it than one of both (moments.cuh).
#pragma once

#include "norm/common/early_rows.cuh"
#include "norm/registers/row_elements.h"

namespace gpuopt {

// Of all threads; all get the result. slots: one a warp, not used before.
template <class Join>
__device__ __forceinline__ float join_block(float value, float none, float *slots, Join &&join) {
  const auto over_lanes = [&] {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) value = join(value, __shfl_xor_sync(~0u, value, offset));
  };
  over_lanes();
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < blockDim.x / 32 ? slots[threadIdx.x % 32] : none;
  over_lanes();
  return value;
}
__device__ __forceinline__ float sum_block(float value, float *slots) {
  return join_block(value, 0.0f, slots, [](float a, float b) { return a + b; });
}

// One matrix; x, residual, out, sum and weights of T.
template <class T, int kNorm, int E>
__global__ void __launch_bounds__(kElementThreads, 1)
    norm_block_elements_kernel(const __grid_constant__ RowWork<T> work) {
  __shared__ float slots[2][kElementThreads / 32];
  const uint32_t rank = threadIdx.x, size = blockDim.x, row = blockIdx.x, n = static_cast<uint32_t>(work.cols);
  const auto in_row = [&](const View &view) { return static_cast<T *>(view.data) + row * view.row_step + rank; };
  const auto each = [&](auto &&f) {
#pragma unroll
    for (uint32_t e = 0; e < E; ++e)
      if (e * size + rank < n) f(e);
  };
  const T *const x = in_row(work.x), *const residual = in_row(work.residual);
  const T *const gamma = static_cast<const T *>(work.gamma.data) + rank;
  const T *const beta = static_cast<const T *>(work.beta.data) + rank;
  const bool adds = work.residual.dtype != 0;
  const bool has_gamma = !kIsSoftmax<kNorm> && work.gamma.dtype != 0;
  const bool has_beta = !kIsSoftmax<kNorm> && work.beta.dtype != 0;
  allow_successor();
  const uint32_t last = n * sizeof(T) - 1, sector = rank * 32;
  if (sector < last + 32) {  // threads have a sector each, and there are more of them
    const auto ask = [&](const T *first) { ask_for(reinterpret_cast<const char *>(first - rank) + min(sector, last)); };
    ask(x);
    if (adds) ask(residual);
    if (row == 0) {  // once: all blocks would wait for the same few lines
      if (has_gamma) ask(gamma);
      if (has_beta) ask(beta);
    }
  }
  wait_for_predecessors();

  float h[E], of_residual[E], of_gamma[E], of_beta[E];
  const auto load = [&](const T *from, float(&to)[E]) {
    each([&](uint32_t e) { to[e] = widen<float>(from[e * size]); });
  };
  load(x, h);
  if (adds) load(residual, of_residual);
  if (has_gamma) load(gamma, of_gamma);
  if (has_beta) load(beta, of_beta);
  if (adds) each([&](uint32_t e) { h[e] += of_residual[e]; });
  const auto sum_of = [&](float *to, auto &&value) {
    float sum = 0;
    each([&](uint32_t e) { sum += value(h[e]); });
    return sum_block(sum, to);
  };

  Moments m = no_moments<kNorm>();
  if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
    const auto at = [&](uint32_t i) {
      const float of_row = widen<float>((x - rank)[i]);
      return adds ? of_row + widen<float>((residual - rank)[i]) : of_row;
    };
    const float origin = middle_of(at(0), at(n / 2), at(n - 1));
    const float mean = sum_of(slots[0], [&](float v) { return v - origin; }) / static_cast<float>(n);
    const SplitMean<float> split = split_mean(origin, mean);
    m.mean = split.high;
    m.first = split.low;
    m.second = sum_of(slots[1], [&](float v) {
      const float d = (v - split.high) - split.low;
      return d * d;
    });
  } else if constexpr (kNorm == GPUOPT_NORM_RMSNORM) {
    m.second = sum_of(slots[0], [](float v) { return v * v; });
  } else {
    float greatest = m.first;
    const auto join = [](float a, float b) { return greater(a, b); };
    each([&](uint32_t e) { greatest = join(greatest, h[e]); });
    m.first = join_block(greatest, m.first, slots[0], join);
    m.second = sum_of(slots[1], [&](float v) { return fast::exp(v - pivot(m.first)); });
  }
  const RowFactors factors = factors_of<kNorm>(work, m, static_cast<float>(n));

  T *const out = in_row(work.out), *const total = in_row(work.sum);
  each([&](uint32_t e) {
    if (work.sum.dtype != 0) total[e * size] = narrow<T>(h[e]);
    float y = normalised<kNorm>(factors, h[e]);
    if (has_gamma) y *= of_gamma[e];
    if (has_beta) y += of_beta[e];
    out[e * size] = narrow<T>(y);
  });
  if (work.statistics.dtype != 0 && rank == 0) store_statistics(work, 0, static_cast<int32_t>(row), factors);
}

#define GPUOPT_BLOCK_ELEMENTS_INSTANCE(T, norm, E) \
  template __global__ void norm_block_elements_kernel<T, norm, E>(const __grid_constant__ RowWork<T>);

}  // namespace gpuopt
