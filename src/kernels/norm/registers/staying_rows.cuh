// Rows one after the other, by warps or blocks that stay for many of them.
//
// A norm of 16-bit rows is instructions as much as bytes: beside six of an element, a row by itself has addresses to find and
// two weights to load and to widen. Here a block has its weights in shared memory once, in fp32, where all its warps read
// them, and the next row's loads are under way while one is normalised. All but a thread's last vector are there in any
// row, which is known when the kernel is launched. Where rows begin anywhere, those that a warp or block takes begin alike:
// their weights are shifted once, a copy for each beginning, and head and tail are an element a thread.
#pragma once

#include "norm/registers/alike_group.cuh"
#include "norm/registers/row_acts.cuh"
#include "norm/registers/staying_rows.h"

namespace gpuopt {

// Weights of a block in shared memory, as many copies as there are beginnings of rows; of a vector the first four elements
// apart from the others, so that neighbours read neighbours.
template <class T>
struct SharedWeights {
  static constexpr int K = 16 / sizeof(T), kParts = K / 4;
  float4 *held;
  int32_t vectors, copies;

  __device__ __forceinline__ float4 &slot(int weight, int32_t copy, int part, int32_t v) const {
    return held[((weight * copies + copy) * kParts + part) * vectors + v];
  }
  // All of one weight's from element head_of(copy) on, neutral where it is absent.
  template <bool kAny, class Head>
  __device__ __forceinline__ void hold(int weight, const View &view, int32_t n, const Head &head_of) {
    const bool wide = view.dtype == GPUOPT_F32;
    for (int32_t copy = 0; copy < copies; ++copy) {
      const int32_t head = head_of(copy);
      for (auto v = static_cast<int32_t>(threadIdx.x); v < vectors; v += static_cast<int32_t>(blockDim.x)) {
        const int32_t at = head + v * K;
        float a[K];
        Bits<T, K> bits;
#pragma unroll
        for (uint32_t &word : bits.w) word = neutral_word<T>(weight == 0);
        if (!kAny && view.dtype != 0 && !wide) bits = load_bits<T, K>(start_of_weights<T>(view, 0) + at);
        widen_bits(bits, a);
        if (!kAny && wide) load_wide<false>(start_of_weights<float>(view, 0) + at, a);
        if (kAny && view.dtype != 0) {
#pragma unroll
          for (int e = 0; e < K; ++e)
            if (at + e < n) a[e] = single(view, at + e);
        }
#pragma unroll
        for (int part = 0; part < kParts; ++part)
          slot(weight, copy, part, v) = make_float4(a[4 * part], a[4 * part + 1], a[4 * part + 2], a[4 * part + 3]);
      }
    }
  }
  static __device__ __forceinline__ float single(const View &view, int32_t at) {
    return view.dtype == GPUOPT_F32 ? start_of_weights<float>(view, 0)[at]
                                    : widen<float>(start_of_weights<T>(view, 0)[at]);
  }
  __device__ __forceinline__ void get(int weight, int32_t copy, int32_t v, float (&a)[K]) const {
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      const float4 four = slot(weight, copy, part, v);
      a[4 * part] = four.x;
      a[4 * part + 1] = four.y;
      a[4 * part + 2] = four.z;
      a[4 * part + 3] = four.w;
    }
  }
};

template <class T, int kNorm, int V, bool kAdds, bool kAny, class Chain>
__global__ void __launch_bounds__(kStayingThreads, staying_blocks(sizeof(T) == 2, kNorm == GPUOPT_NORM_LAYERNORM, V,
                                                                  kAdds, kAny, !cuda::std::is_same_v<Chain, NoChain>))
    norm_staying_rows_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ Chain chain,
                             int32_t classes) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  constexpr int K = 16 / sizeof(T);
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM, kPlain = cuda::std::is_same_v<Chain, NoChain>;
  constexpr bool kRefills = staying_refills(sizeof(T) == 2, !kPlain);
  extern __shared__ float4 shared_weights[];
  __shared__ Moments partials[2][kMostAlikeThreads / 32];
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const bool by_warps = classes != 0;
  const int32_t rank = by_warps ? thread % 32 : thread, size = by_warps ? 32 : threads;
  const int32_t groups = by_warps ? threads / 32 : 1, n = work.cols;
  const auto step = static_cast<int32_t>(gridDim.x) * groups, first_row = static_cast<int32_t>(blockIdx.x) * groups;
  const int32_t copy = by_warps ? thread / 32 % classes : 0;
  int32_t i = first_row + (by_warps ? thread / 32 : 0);
  const bool narrows = !kPlain && work.out.dtype == GPUOPT_E4M3, has_sum = kAdds && work.sum.dtype != 0;
  // Elements before the first vector of x, and so, unless it is narrower, of all others.
  const auto head_of = [&](int32_t row) {
    return kAny ? (K - elements_before(start_of_row<T>(work.x, 0, row))) % K : 0;
  };
  AlikeGroup group(partials, by_warps);
  AlikeCut cut = {};
  cut.row = kAny ? RowCut::of<T>(head_of(i), 0, n, rank) : RowCut{0, n / K, n};
  cut.has_single = kAny && cut.row.at < n;
  cut.first = cut.row.head + rank * K;
  const bool has_last = (V - 1) * size + rank < cut.row.vectors;
  cut.mine = has_last ? V : V - 1;
  group.hold(cut, K);
  const float per_element = 1.0f / static_cast<float>(n);

  // A thread without a last vector reads what is before that again, or the row's first, so that no load is behind a branch.
  RowsPart<T, V, kAdds, kAny> row, next;
  const uint32_t vector_step = static_cast<uint32_t>(size) * 16;
  const uint32_t last = has_last ? (V - 1) * vector_step : V > 1 ? 0 : 0u - static_cast<uint32_t>(rank) * 16;
  const int32_t single = kAny ? (cut.has_single ? cut.row.at : 0) - cut.first : 0;
  const T *x = start_of_row<T>(work.x, 0, i) + cut.first;
  const T *residual = kAdds ? start_of_row<T>(work.residual, 0, i) + cut.first : nullptr;
  const int64_t x_step = step * work.x.row_step, residual_step = kAdds ? step * work.residual.row_step : 0;
  const auto vector_of = [&](const T *from, int v) {
    return load_bits<T, K>(v < V - 1 ? behind(from, v * vector_step)
                                     : from + static_cast<int32_t>(last) / static_cast<int32_t>(sizeof(T)));
  };
  const auto load_from = [&](RowVectors<T, V, kAny> &part, const T *&from, int64_t on) {
#pragma unroll
    for (int v = 0; v < V; ++v) part.bits[v] = vector_of(from, v);
    if constexpr (kAny) part.one = from[single];
    from += on;
  };
  const auto load = [&](RowsPart<T, V, kAdds, kAny> &part) {
    load_from(part.x, x, x_step);
    if constexpr (kAdds) load_from(part.residual, residual, residual_step);
  };
  row.x.fill(0);
  if constexpr (kAdds) row.residual.fill(0);
  if constexpr (!kRefills) next = row;
  if (i < work.rows) load(row);

  const int64_t bytes = narrows ? 1 : sizeof(T);  // of an element of out
  char *out = static_cast<char *>(work.out.data) + (i * work.out.row_step + cut.first) * bytes;
  T *sum = has_sum ? start_of_result<T>(work.sum, 0, i) + cut.first : nullptr;
  const int64_t out_step = step * work.out.row_step * bytes, sum_step = has_sum ? step * work.sum.row_step : 0;
  SharedWeights<T> weights = {shared_weights, n / K, by_warps ? classes : 1};
  const auto head_of_copy = [&](int32_t of) { return head_of(first_row + of); };
  weights.template hold<kAny>(0, work.gamma, n, head_of_copy);
  if (kLayer) weights.template hold<kAny>(1, work.beta, n, head_of_copy);
  const auto single_of = [&](const View &view, float absent) {
    return cut.has_single && view.dtype != 0 ? weights.single(view, cut.row.at) : absent;
  };
  const float factor_of_single = kAny ? single_of(work.gamma, 1.0f) : 1.0f;
  const float move_of_single = kAny && kLayer ? single_of(work.beta, -0.0f) : 0.0f;
  __syncthreads();

#pragma unroll 1
  for (; i < work.rows; i += step) {
    const bool more = i + step < work.rows;
    if (!kRefills && more) load(next);
    // Before a chain, many instructions, a vector of 16-bit elements makes room for the next row's as soon as it is widened.
    const T *const after = more ? x : x - x_step;
    Moments m = group.template statistics<kNorm>(row, cut, static_cast<float>(n));
    m.second *= per_element;
    stay_packed(row.x.bits);
    if constexpr (kAdds) stay_packed(row.residual.bits);
    const RowFactors factors = factors_of<kNorm>(work, m, 1.0f);  // of squares an element's
    if (work.statistics.dtype != 0 && rank == 0) store_statistics(work, 0, i, factors);
    const auto vectors = [&](const auto &chained) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (v == V - 1 && !has_last) continue;
        float h[K], a[K];
        row.elements(v, h);
        if constexpr (kRefills) row.x.bits[v] = vector_of(after, v);
        if (has_sum) store_bits(behind(sum, v * vector_step), narrow_bits<T>(h));
        normalise<kNorm>(factors, h);
        weights.get(0, copy, v * size + rank, a);
#pragma unroll
        for (int e = 0; e < K; ++e) h[e] *= a[e];
        if constexpr (kLayer) {
          weights.get(1, copy, v * size + rank, a);
#pragma unroll
          for (int e = 0; e < K; ++e) h[e] += a[e];
        }
        apply_chain<T, kAny>(chained, work, 0, i, 0, h);
        if (narrows)
          store_e4m3<false>(reinterpret_cast<__nv_fp8_e4m3 *>(out) + v * size * K, h);
        else
          store_bits(behind(reinterpret_cast<T *>(out), v * vector_step), narrow_bits<T>(h));
      }
    };
    if constexpr (kPlain)
      vectors(chain);
    else
      with_row_act(chain, vectors);
    if (kAny && cut.has_single) {
      float h[1] = {row.single()};
      if constexpr (kRefills) row.x.one = after[single];
      if (has_sum) sum[single] = narrow<T>(h[0]);
      h[0] = normalised<kNorm>(factors, h[0]) * factor_of_single;
      if (kLayer) h[0] += move_of_single;
      apply_chain<T, kAny>(chain, work, 0, i, 0, h);
      if (narrows)
        reinterpret_cast<__nv_fp8_e4m3 *>(out)[single] = narrow<__nv_fp8_e4m3>(h[0]);
      else
        reinterpret_cast<T *>(out)[single] = narrow<T>(h[0]);
    }
    out += out_step;
    if constexpr (kAdds) sum += sum_step;
    if constexpr (!kRefills)
      row = next;
    else
      x += x_step;
  }
#endif
}

}  // namespace gpuopt
