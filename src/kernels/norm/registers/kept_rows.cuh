// 16-bit rows of 2 to 16 KB that begin alike, weights in registers.
//
// As unaligned_rows.cuh, but that a block's threads keep their weights, shifted once, in registers: such rows are held by few
// warps, so registers are enough for several blocks of an SM, and shared memory leaves the first-level cache to what is
// under way. Shorter rows gain nothing by that, longer ones have too few warps. A vector that the row does not have is not asked
// for again: it holds elements that leave an RMS norm's squares as they are, and only its store is left out.
#pragma once

#include "norm/common/early_rows.cuh"
#include "norm/common/groups.cuh"
#include "norm/registers/rows_of_block.cuh"
#include "norm/registers/rows_part.cuh"

namespace gpuopt {

template <int kNorm, class T, int V>
__device__ __forceinline__ Moments moments_of_row(const RowVectors<T, V, true> &row, const RowCut &cut, int32_t n) {
  constexpr int K = 16 / sizeof(T);
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM;
  // LAYERNORM takes distances from an element of the thread's own, as RunningMoments does, and none of what the row has
  // not; squares of that are 0.
  const auto threads = static_cast<int32_t>(blockDim.x), thread = static_cast<int32_t>(threadIdx.x);
  float origin = 0;
  if constexpr (kLayer) {
    float first[K];
    widen_bits(row.bits[0], first);
    origin = thread < cut.vectors ? origin_of(first) : widen<float>(row.one);
  }
  float sum = 0, squares = 0, count = 0;
  const auto add = [&](float h) {
    const float d = h - origin;
    sum += d;
    squares += d * d;
  };
#pragma unroll
  for (int v = 0; v < V; ++v) {
    if (kLayer && v * threads + thread >= cut.vectors) continue;
    float h[K];
    widen_bits(row.bits[v], h);
#pragma unroll
    for (int e = 0; e < K; ++e) add(h[e]);
    count += K;
  }
  if (!kLayer || cut.at < n) {
    add(widen<float>(row.one));
    count += 1;
  }
  if constexpr (!kLayer) return {0.0f, 0.0f, 0.0f, squares};
  return moments_of_distances(count, origin, sum, squares);
}

template <class T, int kNorm>
__global__ void __launch_bounds__(kMostKeptThreads, kKeptBlocks)
    norm_kept_rows_kernel(const __grid_constant__ RowWork<T> work, const AlikeRows rows) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as takes_alike says
  constexpr int K = 16 / sizeof(T), V = kAlikeVectors;
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM;
  __shared__ Moments partials[2][kMostKeptThreads / 32];
  BlockGroup<kMostKeptThreads / 32> group(partials);
  const RowsOfBlock all = RowsOfBlock::of(rows, static_cast<int32_t>(blockIdx.x), work.rows);
  const int32_t p = all.p, end = all.end;
  int32_t i = all.first;
  if (i >= end) return;

  const int32_t n = work.cols, threads = static_cast<int32_t>(blockDim.x), thread = static_cast<int32_t>(threadIdx.x);
  wait_with_row(work, p, i, thread, threads);
  const auto cols = static_cast<float>(n);
  const auto row_of = [&](const View &view, int32_t row) { return start_of_result<T>(view, p, row); };
  const T *const gammas = start_of_weights<T>(work.gamma, p), *const betas = start_of_weights<T>(work.beta, p);
  const bool has_gamma = work.gamma.dtype != 0, has_beta = work.beta.dtype != 0;
  const RowCut cut = [&] {
    const int32_t head = (K - elements_before(row_of(work.out, i))) % K;
    int32_t before = elements_before(row_of(work.x, i) + head);
    if (has_gamma) before = max(before, elements_before(gammas + head));
    if (has_beta) before = max(before, elements_before(betas + head));
    return RowCut::of<T>(head, before, n, static_cast<int32_t>(threadIdx.x));
  }();
  RowVectors<T, V, true> row, next, gamma, beta;
  row.fill(0);
  next = row;
  row.load(row_of(work.x, i), cut, thread, threads, n);
  gamma.fill(neutral_word<T>(true));
  if (has_gamma) gamma.load(gammas, cut, thread, threads, n);
  if constexpr (kLayer) {
    beta.fill(neutral_word<T>(false));
    if (has_beta) beta.load(betas, cut, thread, threads, n);
  }

#pragma unroll 1
  for (;;) {
    const int32_t after = i + rows.classes;
    if (after < end) next.load(row_of(work.x, after), cut, thread, threads, n);

    const Moments m = group.template join<kNorm, false>(moments_of_row<kNorm>(row, cut, n), cols);
    stay_packed(row.bits);
    stay_packed(gamma.bits);
    if constexpr (kLayer) stay_packed(beta.bits);
    const RowFactors factors = factors_of<kNorm>(work, m, cols);
    if (work.statistics.dtype != 0 && thread == 0) store_statistics(work, p, i, factors);
    T *const out = row_of(work.out, i);
    T *const first = out + cut.head + thread * K;
    const bool adds = !kLayer && has_beta;  // rare, and read again for every row
#pragma unroll
    for (int v = 0; v < V; ++v) {
      float h[K], g[K], b[K];
      widen_bits(row.bits[v], h);
      widen_bits(gamma.bits[v], g);
      if constexpr (kLayer) widen_bits(beta.bits[v], b);
#pragma unroll
      for (int e = 0; e < K; ++e) {
        h[e] = normalised<kNorm>(factors, h[e]) * g[e];
        if constexpr (kLayer) h[e] += b[e];
      }
      const int32_t vector = v * threads + thread;
      if (vector < cut.vectors) {
        if (adds) {
          const T *const from = betas + cut.head + vector * K;
          add(h, elements_before(from) == 0 ? load_bits<T, K>(from) : load_unaligned<T, K>(from));
        }
        store_bits(first + v * threads * K, narrow_bits<T>(h));
      }
    }
    if (cut.at < n) {
      float h = normalised<kNorm>(factors, widen<float>(row.one)) * widen<float>(gamma.one);
      if constexpr (kLayer) h += widen<float>(beta.one);
      if (adds) h += widen<float>(betas[cut.at]);
      out[cut.at] = narrow<T>(h);
    }
    if (after >= end) return;
    i = after;
    row = next;
  }
#endif
}

}  // namespace gpuopt
