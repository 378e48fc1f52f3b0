// Rows that do not begin at 16 bytes, in packed vectors; those that begin alike to a block.
//
// Where the leading dimension is odd, every eighth row of 16-bit elements, and every fourth of fp32, begins at the same distance
// from a 16-byte boundary. A block takes such rows, one after the other. Vectors of out are aligned; x and the residual are read
// where they lie and shifted into place where they begin otherwise. Weights, which would be shifted for every row, are shifted
// once a block: each thread keeps its own in shared memory, where no other reads them, so there is no barrier for them. The next
// row's loads are under way while one is normalised. Blocks stay for many rows, in a whole number of waves. What is the same for
// all rows, where they are cut, how many elements a thread and a warp have, is found once: a row is to be few instructions.
#pragma once

#include "norm/common/early_rows.cuh"
#include "norm/registers/alike_group.cuh"
#include "norm/registers/block_row.h"
#include "norm/registers/row_results.cuh"
#include "norm/registers/rows_of_block.cuh"
#include "norm/registers/rows_part.cuh"

namespace gpuopt {

// A thread's weights, gamma's vectors and then beta's, in shared memory, in fp32 where threads have few enough, which spares each row
// their widening.
template <class T, int V, int kParts>  // kParts: of 16 bytes, of a vector
struct HeldWeights {
  static constexpr int K = 16 / sizeof(T);
  uint4 *held;
  int32_t threads;

  // Threads are an odd number of vectors apart, so that their accesses spread over all banks.
  __device__ __forceinline__ uint4 &slot(int weight, int v, int part) const {
    return held[(weight * threads + static_cast<int32_t>(threadIdx.x)) * held_vectors(V, kParts) + v * kParts + part];
  }
  // Of a weight's n elements, in fp32 though the rows are not where it is wide; neutral where it is absent.
  __device__ __forceinline__ void hold(int weight, const View &view, int32_t p, const AlikeCut &cut, bool wide) {
    const auto vector_of = [&](int v) {
      const int32_t at = cut.first + v * threads * K;
      const bool loads = view.dtype != 0 && v < cut.mine;
      Bits<T, K> bits;
#pragma unroll
      for (uint32_t &word : bits.w) word = neutral_word<T>(weight == 0);
      const T *const from = start_of_weights<T>(view, p) + at;
      if (loads && !wide) bits = elements_before(from) == 0 ? load_bits<T, K>(from) : load_unaligned<T, K>(from);
      return bits;
    };
#pragma unroll 1
    for (int v = 0; v < V; ++v) {
      const Bits<T, K> bits = vector_of(v);
      if constexpr (kParts == 1) {
        slot(weight, v, 0) = make_uint4(bits.w[0], bits.w[1], bits.w[2], bits.w[3]);
      } else {
        float a[K];
        widen_bits(bits, a);
        if (wide && view.dtype != 0 && v < cut.mine)
          load_wide<true>(start_of_weights<float>(view, p) + cut.first + v * threads * K, a);
#pragma unroll
        for (int part = 0; part < kParts; ++part)
          slot(weight, v, part) = make_uint4(bits_as<uint32_t>(a[4 * part]), bits_as<uint32_t>(a[4 * part + 1]),
                                             bits_as<uint32_t>(a[4 * part + 2]), bits_as<uint32_t>(a[4 * part + 3]));
      }
    }
  }
  __device__ __forceinline__ void get(int weight, int v, float (&a)[K]) const {
    if constexpr (kParts == 1) {
      const uint4 words = slot(weight, v, 0);
      widen_bits(Bits<T, K>{{words.x, words.y, words.z, words.w}}, a);
    } else {
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const uint4 words = slot(weight, v, part);
        a[4 * part] = bits_as<float>(words.x);
        a[4 * part + 1] = bits_as<float>(words.y);
        a[4 * part + 2] = bits_as<float>(words.z);
        a[4 * part + 3] = bits_as<float>(words.w);
      }
    }
  }
};

// A thread's part of one row of one matrix, `first` its first vector. What it has not stays as it is.
template <class T, int V>
__device__ __forceinline__ void load_alike(RowVectors<T, V, true> &part, const T *first, const AlikeCut &cut) {
  constexpr int K = 16 / sizeof(T);
  if (elements_before(first) == 0) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (v < cut.mine) part.bits[v] = load_bits<T, K>(behind(first, v * cut.step));
    }
  } else {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (v < cut.mine) part.bits[v] = load_unaligned<T, K>(behind(first, v * cut.step));
      if (v % 2 == 1) asm volatile("" ::: "memory");  // no more loads before these are shifted: registers
    }
  }
  if (cut.has_single) part.one = first[cut.single];
}

// Blocks of an SM for which registers are to be enough.
constexpr int alike_blocks([[maybe_unused]] int vectors, [[maybe_unused]] bool adds) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
  return vectors == kFewVectors ? 32 : vectors == kAlikeVectors && !adds ? 2 : 1;
#else
  return 1;
#endif
}

template <class T, int kNorm, int V, bool kAdds, class Chain>
__global__ void __launch_bounds__(alike_threads(kNorm, sizeof(T) == 4, V, kAdds, std::is_same_v<Chain, RowLinear>),
                                  alike_blocks(V, kAdds))
    norm_alike_rows_kernel(const __grid_constant__ RowWork<T> work, const AlikeRows rows,
                           const __grid_constant__ Chain chain) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as takes_alike says
  constexpr int K = 16 / sizeof(T);
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM, kPlain = std::is_same_v<Chain, NoChain>;
  extern __shared__ uint4 shared_weights[];
  __shared__ Moments partials[2][kMostAlikeThreads / 32];
  AlikeGroup<kMostAlikeThreads / 32> group(partials, V == kFewVectors || blockDim.x == 32);
  const RowsOfBlock all = RowsOfBlock::of(rows, static_cast<int32_t>(blockIdx.x), work.rows);
  const int32_t p = all.p, end = all.end;
  int32_t i = all.first;
  if (i >= end) return;

  const int32_t n = work.cols, threads = static_cast<int32_t>(blockDim.x), thread = static_cast<int32_t>(threadIdx.x);
  wait_with_row(work, p, i, thread, threads);
  const auto cols = static_cast<float>(n);
  const float per_element = 1.0f / cols;
  constexpr bool kWeighted = !kIsSoftmax<kNorm>;
  const bool has_beta = kWeighted && work.beta.dtype != 0, has_sum = work.sum.dtype != 0;
  const bool wide =
      !kPlain && sizeof(T) == 2 && (work.gamma.dtype == GPUOPT_F32 || work.beta.dtype == GPUOPT_F32);  // both
  const AlikeCut cut = [&] {
    // At out's vectors; where it is narrower, at x's.
    const View &cuts = work.out.dtype == GPUOPT_E4M3 ? work.x : work.out;
    const int32_t head = (K - elements_before(start_of_row<T>(cuts, p, i))) % K;
    int32_t before = elements_before(start_of_row<T>(work.x, p, i) + head);
    if (kAdds) before = max(before, elements_before(start_of_row<T>(work.residual, p, i) + head));
    for (const View *const view : {&work.gamma, &work.beta}) {
      if (!kWeighted || view->dtype == 0) continue;
      before = max(before, wide ? elements_before(start_of_weights<float>(*view, p) + head)
                                : elements_before(start_of_weights<T>(*view, p) + head));
    }
    const RowCut row = RowCut::of<T>(head, before, n, thread);
    const int32_t first = row.head + thread * K;
    return AlikeCut{row, row.at<n, row.vectors> thread ? (row.vectors - thread + threads - 1) / threads : 0, first,
                    row.at - first, static_cast<uint32_t>(threads) * 16};
  }();
  group.hold(cut, K);
  // Of this row; of the next to load, in x and the residual.
  const T *x = start_of_row<T>(work.x, p, i) + cut.first;
  const T *residual = kAdds ? start_of_row<T>(work.residual, p, i) + cut.first : nullptr;
  const bool narrows = !kPlain && work.out.dtype == GPUOPT_E4M3;
  const int64_t bytes = narrows ? 1 : sizeof(T);  // of an element of out
  char *out = static_cast<char *>(work.out.data) + (work.out.offset(p, i, cut.first)) * bytes;
  T *sum = kAdds ? start_of_result<T>(work.sum, p, i) + cut.first : nullptr;
  const int64_t out_step = rows.classes * work.out.row_step * bytes;
  RowsPart<T, V, kAdds, true> row, next;
  const auto load = [&](RowsPart<T, V, kAdds, true> &part) {
    load_alike(part.x, x, cut);
    x += rows.classes * work.x.row_step;
    if constexpr (kAdds) {
      load_alike(part.residual, residual, cut);
      residual += rows.classes * work.residual.row_step;
    }
  };
  row.x.fill(0);
  if constexpr (kAdds) row.residual.fill(0);
  next = row;
  load(row);
  HeldWeights<T, V, held_parts(kNorm, sizeof(T) == 4, V, kAdds, !kPlain)> weights;
  weights.held = shared_weights;
  weights.threads = threads;
  if (kWeighted) weights.hold(0, work.gamma, p, cut, wide);
  if (kLayer || has_beta) weights.hold(1, work.beta, p, cut, wide);
  const auto single_of = [&](const View &view, float absent) {
    if (!kWeighted || !cut.has_single || view.dtype == 0) return absent;
    return wide ? start_of_weights<float>(view, p)[cut.row.at] : widen<float>(start_of_weights<T>(view, p)[cut.row.at]);
  };
  const float factor_of_single = single_of(work.gamma, 1.0f),
              move_of_single = kLayer ? single_of(work.beta, -0.0f) : 0.0f;

#pragma unroll 1
  for (;;) {
    const int32_t after = i + rows.classes;
    if (after < end) load(next);

    Moments m = group.template statistics<kNorm>(row, cut, cols);
    if constexpr (kWeighted) m.second *= per_element;
    stay_packed(row.x.bits);
    if constexpr (kAdds) stay_packed(row.residual.bits);
    const RowFactors factors = factors_of<kNorm>(work, m, 1.0f);  // of squares an element's
    if (work.statistics.dtype != 0 && thread == 0) store_statistics(work, p, i, factors);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (v >= cut.mine) continue;
      const int32_t at = cut.first + v * threads * K;
      float h[K], a[K];
      row.elements(v, h);
      if (kAdds && has_sum) store_vector<false, T, K>(behind(sum, v * cut.step), h);
      normalise<kNorm>(factors, h);
      if constexpr (kWeighted) {
        weights.get(0, v, a);
#pragma unroll
        for (int e = 0; e < K; ++e) h[e] *= a[e];
      }
      if (kLayer || has_beta) {  // a beta of others is rare
        weights.get(1, v, a);
#pragma unroll
        for (int e = 0; e < K; ++e) h[e] += a[e];
      }
      apply_chain<T, true>(chain, work, p, i, at, h);
      if (narrows)
        store_e4m3<true>(reinterpret_cast<__nv_fp8_e4m3 *>(out) + v * threads * K, h);
      else
        store_bits(behind(reinterpret_cast<T *>(out), v * cut.step), narrow_bits<T>(h));
    }
    if (cut.has_single) {
      const int32_t at = cut.row.at;
      float h[1] = {row.single()};
      if (kAdds && has_sum) sum[cut.single] = narrow<T>(h[0]);
      h[0] = normalised<kNorm>(factors, h[0]);
      if constexpr (kWeighted) h[0] *= factor_of_single;
      if constexpr (kLayer)
        h[0] += move_of_single;
      else if (has_beta)  // rare, and read again for every row
        h[0] += single_of(work.beta, -0.0f);
      apply_chain<T, true>(chain, work, p, i, at, h);
      if (narrows)
        reinterpret_cast<__nv_fp8_e4m3 *>(out)[cut.single] = narrow<__nv_fp8_e4m3>(h[0]);
      else
        reinterpret_cast<T *>(out)[cut.single] = narrow<T>(h[0]);
    }
    if (after >= end) return;
    i = after;
    out += out_step;
    if constexpr (kAdds) sum += rows.classes * work.sum.row_step;
    row = next;
  }
#endif
}

}  // namespace gpuopt
