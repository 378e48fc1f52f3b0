// Rows one after the other, by warps or blocks that stay for many of them.
//
// A norm of 16-bit rows is instructions as much as bytes: a row by itself has addresses to find and two weights to load and to
// widen. Here a block has its weights in shared memory once, in fp32, and what a thread finds of a row is the same for all of
// them. A row is widened once (wide_row.cuh); its packed vectors are then the next row's, whose loads are under way during
// all else. All but a thread's last vector are there in any row, which is known when the kernel is launched. Where rows begin
// anywhere, those that a warp or block takes begin alike: their weights are shifted once, a copy for each beginning, and head and
// tail are an element a thread.
#pragma once

#include "norm/registers/alike_group.cuh"
#include "norm/registers/row_acts.cuh"
#include "norm/registers/staying_rows.h"
#include "norm/registers/staying_weights.cuh"
#include "norm/registers/wide_row.cuh"

namespace gpuopt {

// Another row's place.
template <class T>
__device__ __forceinline__ const T *moved(const T *place, int64_t bytes) {
  return reinterpret_cast<const T *>(reinterpret_cast<const char *>(place) + bytes);
}
template <class T>
__device__ __forceinline__ T *moved(T *place, int64_t bytes) {
  return reinterpret_cast<T *>(reinterpret_cast<char *>(place) + bytes);
}

template <class T, int kNorm, int V, bool kAdds, bool kAny, class Chain>
__global__ void __launch_bounds__(kStayingThreads<T, kNorm, V, kAdds, kAny, Chain>, 1)
    norm_staying_rows_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ Chain chain,
                             const __grid_constant__ StayingRows rows) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  constexpr int K = 16 / sizeof(T), kMost = kStayingThreads<T, kNorm, V, kAdds, kAny, Chain>,
                kWarps = kMost > 512 ? 32 : 16;
  constexpr int kWeights = staying_weights(kNorm);
  constexpr bool kPlain = cuda::std::is_same_v<Chain, NoChain>;
  extern __shared__ float4 shared_weights[];
  __shared__ Moments partials[2][kWarps];
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const int32_t warp = thread / 32, lane = thread % 32, warps = threads / 32;
  const bool by_warps = rows.copies != 0;  // a row is a warp's
  const int32_t rank = by_warps ? lane : thread, n = work.cols;
  // Of rows that are not as many for all, each multiprocessor has its share: warps' rows are a grid apart.
  int32_t i = static_cast<int32_t>(blockIdx.x) + (by_warps ? static_cast<int32_t>(gridDim.x) * warp : 0);
  const bool narrows = !kPlain && work.out.dtype == GPUOPT_E4M3, has_sum = kAdds && work.sum.dtype != 0;

  // At x's vectors, where all others' begin too.
  AlikeCut cut = {};
  const int32_t head = kAny ? (K - elements_before(start_of_row<T>(work.x, 0, i))) % K : 0;
  cut.row = kAny ? RowCut::of<T>(head, 0, n, rank) : RowCut{0, n / K, n};
  const WarpShare share = by_warps ? WarpShare{0, cut.row.vectors} : WarpShare::of(cut.row.vectors, warp, warps);
  const int32_t from_here = share.count - lane;  // one register from row to row
  const bool has_last = from_here > (V - 1) * 32;
  cut.has_single = kAny && cut.row.at < n;
  cut.first = cut.row.head + (share.first + lane) * K;
  cut.single = cut.row.at - cut.first;
  cut.mine = has_last ? V : V - 1;
  AlikeGroup<kWarps> group(partials, by_warps);
  group.hold(cut, K);

  const T *x = start_of_row<T>(work.x, 0, i) + cut.first;
  const T *residual = kAdds ? start_of_row<T>(work.residual, 0, i) + cut.first : nullptr;
  RowsPart<T, V, kAdds, kAny> row;
  const auto load_from = [&](RowVectors<T, V, kAny> &part, const T *&from, int64_t on) {
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (v < V - 1 || has_last) part.bits[v] = load_bits<T, K>(from + v * 32 * K);
    if (cut.has_single) part.one = from[cut.single];
    from = moved(from, on);
  };
  const auto load = [&] {
    load_from(row.x, x, rows.x_step);
    if constexpr (kAdds) load_from(row.residual, residual, rows.residual_step);
  };
  row.x.fill(0);
  if constexpr (kAdds) row.residual.fill(0);
  if (i < work.rows) load();

  const int64_t bytes = narrows ? 1 : sizeof(T);  // of an element of out
  char *out = static_cast<char *>(work.out.data) + (i * work.out.row_step + cut.first) * bytes;
  T *sum = has_sum ? start_of_result<T>(work.sum, 0, i) + cut.first : nullptr;
  StayingWeights<T, V, kWeights, kAny> weights = {shared_weights};
  if constexpr (kWeights > 0) {
    weights.held += (by_warps ? warp % rows.copies : warp) * weights.kOfWarp + lane;
    const int turn = by_warps ? warp / rows.copies : 0, turns = by_warps ? warps / rows.copies : 1;
    weights.hold(work.gamma, work.beta, cut.first, n, turn, turns);
    if (cut.has_single && turn == 0) weights.hold_single(work.gamma, work.beta, cut.row.at);
    __syncthreads();
  }

#pragma unroll 1
  for (; i < work.rows; i += rows.step) {
    WideRow<T, V, kAny> wide;
    wide.widen(row);
    if (has_sum) {
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (v < V - 1 || has_last) store_bits(sum + v * 32 * K, narrow_bits<T>(wide.h[v]));
      if (cut.has_single) sum[cut.single] = narrow<T>(wide.one);
      sum = moved(sum, rows.sum_step);
    }
    if (i + rows.step < work.rows) load();
    Moments m = group.template statistics<kNorm>(wide, cut, static_cast<float>(n));
    if constexpr (kWeights > 0) m.second *= rows.per_element;
    RowFactors factors = factors_of<kNorm>(work, m, 1.0f);  // of squares an element's
    if (work.statistics.dtype != 0 && rank == 0) store_statistics(work, 0, i, factors);
    wide.template rebase<kNorm>(factors);
    const auto vectors = [&](const auto &chained) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (v == V - 1 && !has_last) continue;
        float(&h)[K] = wide.h[v];
#pragma unroll
        for (float &element : h) element = wide.template normalised<kNorm>(factors, element);
        if constexpr (kWeights > 0) {
          float a[K];
          weights.get(v, 0, a);
#pragma unroll
          for (int e = 0; e < K; ++e) h[e] *= a[e];
          if constexpr (kWeights > 1) {
            weights.get(v, 1, a);
#pragma unroll
            for (int e = 0; e < K; ++e) h[e] += a[e];
          }
        }
        if constexpr (!kPlain) apply_chain<T, kAny>(chained, work, 0, i, 0, h);
        if (narrows)
          store_e4m3<false>(reinterpret_cast<__nv_fp8_e4m3 *>(out) + v * 32 * K, h);
        else
          store_bits(reinterpret_cast<T *>(out) + v * 32 * K, narrow_bits<T>(h));
      }
    };
    if constexpr (kPlain)
      vectors(chain);
    else
      with_row_act(chain, vectors);
    if (cut.has_single) {
      float h[1] = {wide.template normalised<kNorm>(factors, wide.one)};
      if constexpr (kWeights > 0) {
        const float2 weight = weights.of_single();
        h[0] *= weight.x;
        if constexpr (kWeights > 1) h[0] += weight.y;
      }
      if constexpr (!kPlain) apply_chain<T, kAny>(RowLinearOf<kAnyRowAct>{chain}, work, 0, i, 0, h);
      if (narrows)
        reinterpret_cast<__nv_fp8_e4m3 *>(out)[cut.single] = narrow<__nv_fp8_e4m3>(h[0]);
      else
        reinterpret_cast<T *>(out)[cut.single] = narrow<T>(h[0]);
    }
    out = moved(out, rows.out_step);
  }
#endif
}

}  // namespace gpuopt
