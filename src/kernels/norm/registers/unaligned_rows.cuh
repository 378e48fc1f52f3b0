// Rows that do not begin at 16 bytes, in packed vectors; those that begin alike to a block.
//
// Where the leading dimension is odd, every eighth row of 16-bit elements, and every fourth of fp32, begins at the same
// distance from a 16-byte boundary. A block takes such rows, one after the other. Vectors of out are aligned; x and the
// residual are read where they lie and shifted into place where they begin otherwise. Weights, which would be shifted for
// every row, are shifted once a block: each thread leaves its own in shared memory, where no other reads them, so there
// is no barrier for them. The next row's loads are under way while one is normalised. Blocks stay for many rows, in a
// whole number of waves.
#pragma once

#include "norm/registers/block_row.h"
#include "norm/registers/rows.cuh"
#include "norm/registers/rows_of_block.cuh"

namespace gpuopt {

// A block whose only warp has no use for barriers.
struct AlikeGroup : BlockGroup<kMostAlikeThreads / 32> {
  using Block = BlockGroup<kMostAlikeThreads / 32>;
  bool is_warp;
  __device__ __forceinline__ AlikeGroup(Moments (*shared)[kMostAlikeThreads / 32], bool one_warp)
      : Block(shared), is_warp(one_warp) {}
  template <int kNorm>
  __device__ __forceinline__ Moments join(const Moments &m, float n) {
    return is_warp ? join_lanes<kNorm, 32>(m, n) : Block::join<kNorm, false>(m, n);
  }
};

// A thread's weights in shared memory, gamma's vectors and then beta's: in fp32, which spares each row their widening, where
// threads have few enough.
template <class T, int V, int kParts>  // of 16 bytes, of a vector
struct HeldWeights {
  static constexpr int K = 16 / sizeof(T);
  uint4 *held;
  int32_t threads;

  __device__ __forceinline__ uint4 &slot(int weight, int v, int part) const {
    return held[((weight * V + v) * kParts + part) * threads + static_cast<int32_t>(threadIdx.x)];
  }
  // Of a weight's n elements, in fp32 though the rows are not where it is wide; neutral where it is absent.
  __device__ __forceinline__ void hold(int weight, const View &view, int32_t p, const RowCut &cut, bool wide) const {
    const auto thread = static_cast<int32_t>(threadIdx.x);
#pragma unroll 1
    for (int v = 0; v < V; ++v) {
      const int32_t vector = v * threads + thread, at = cut.head + vector * K;
      const bool loads = view.dtype != 0 && vector < cut.vectors;
      Bits<T, K> bits;
#pragma unroll
      for (uint32_t &word : bits.w) word = neutral_word<T>(weight == 0);
      const T *const from = start_of_weights<T>(view, p) + at;
      if (loads && !wide) bits = elements_before(from) == 0 ? load_bits<T, K>(from) : load_unaligned<T, K>(from);
      if constexpr (kParts == 1) {
        slot(weight, v, 0) = make_uint4(bits.w[0], bits.w[1], bits.w[2], bits.w[3]);
      } else {
        float a[K];
        widen_bits(bits, a);
        if (loads && wide) load_wide<true>(start_of_weights<float>(view, p) + at, a);
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

// Blocks of an SM for which registers are to be enough.
constexpr int alike_blocks([[maybe_unused]] int vectors, [[maybe_unused]] bool adds) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
  return vectors == kFewVectors ? 32 : vectors == kAlikeVectors && !adds ? 2 : 1;
#else
  return 1;
#endif
}

template <class T, int kNorm, int V, bool kAdds, class Chain>
__global__ void __launch_bounds__(alike_threads(kNorm, sizeof(T) == 4, V, kAdds,
                                                cuda::std::is_same_v<Chain, RowLinear>),
                                  alike_blocks(V, kAdds))
    norm_alike_rows_kernel(const __grid_constant__ RowWork<T> work, const AlikeRows rows,
                           const __grid_constant__ Chain chain) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as takes_alike says
  constexpr int K = 16 / sizeof(T);
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM, kPlain = cuda::std::is_same_v<Chain, NoChain>;
  extern __shared__ uint4 shared_weights[];
  __shared__ Moments partials[2][kMostAlikeThreads / 32];
  AlikeGroup group(partials, V == kFewVectors || blockDim.x == 32);
  const RowsOfBlock all = RowsOfBlock::of(rows, static_cast<int32_t>(blockIdx.x), work.rows);
  const int32_t p = all.p, end = all.end;
  int32_t i = all.first;
  if (i >= end) return;

  const int32_t n = work.cols, threads = static_cast<int32_t>(blockDim.x), thread = static_cast<int32_t>(threadIdx.x);
  const auto cols = static_cast<float>(n);
  constexpr bool kWeighted = !kIsSoftmax<kNorm>;
  const bool has_beta = kWeighted && work.beta.dtype != 0, has_sum = work.sum.dtype != 0;
  const bool wide =
      !kPlain && sizeof(T) == 2 && (work.gamma.dtype == GPUOPT_F32 || work.beta.dtype == GPUOPT_F32);  // both
  const RowCut cut = [&] {
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
    return RowCut::of<T>(head, before, n, thread);
  }();
  const bool has_single = cut.at < n;
  const int mine = cut.vectors > thread ? (cut.vectors - thread + threads - 1) / threads : 0;
  RowsPart<T, V, kAdds, true> row, next;
  const auto load = [&](RowsPart<T, V, kAdds, true> &part, int32_t of) {
    part.x.load(start_of_row<T>(work.x, p, of), cut, thread, threads, n);
    if constexpr (kAdds) part.residual.load(start_of_row<T>(work.residual, p, of), cut, thread, threads, n);
  };
  row.x.fill(0);
  if constexpr (kAdds) row.residual.fill(0);
  next = row;
  load(row, i);
  const HeldWeights<T, V, held_parts(kNorm, sizeof(T) == 4, V, kAdds, !kPlain)> weights = {shared_weights, threads};
  if (kWeighted) weights.hold(0, work.gamma, p, cut, wide);
  if (kLayer || has_beta) weights.hold(1, work.beta, p, cut, wide);
  const auto single_of = [&](const View &view, float absent) {
    if (!kWeighted || !has_single || view.dtype == 0) return absent;
    return wide ? start_of_weights<float>(view, p)[cut.at] : widen<float>(start_of_weights<T>(view, p)[cut.at]);
  };
  const float factor_of_single = single_of(work.gamma, 1.0f),
              move_of_single = kLayer ? single_of(work.beta, -0.0f) : 0.0f;

#pragma unroll 1
  for (;;) {
    const int32_t after = i + rows.classes;
    if (after < end) load(next, after);

    const Moments m = group.join<kNorm>(row.template moments<kNorm, true>(mine, has_single), cols);
    stay_packed(row.x.bits);
    if constexpr (kAdds) stay_packed(row.residual.bits);
    const RowFactors factors = factors_of<kNorm>(work, m, cols);
    if (work.statistics.dtype != 0 && thread == 0) store_statistics(work, p, i, factors);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (v >= mine) continue;
      const int32_t at = cut.head + (v * threads + thread) * K;
      float h[K], a[K];
      row.elements(v, h);
      if (kAdds && has_sum) store_vector<false, T, K>(start_of_result<T>(work.sum, p, i) + at, h);
      normalise<kNorm>(factors, h);
      if constexpr (kWeighted) {
        weights.get(0, v, a);
#pragma unroll
        for (int e = 0; e < K; ++e) h[e] *= a[e];
      }
      if (kLayer || has_beta) {
        weights.get(1, v, a);
#pragma unroll
        for (int e = 0; e < K; ++e) h[e] += a[e];
      }
      apply_chain<T, true>(chain, work, p, i, at, h);
      store_result<T, Chain, true>(work.out, p, i, at, h);
    }
    if (has_single) {
      float h[1] = {row.single()};
      if (kAdds && has_sum) start_of_result<T>(work.sum, p, i)[cut.at] = narrow<T>(h[0]);
      h[0] = normalised<kNorm>(factors, h[0]);
      if constexpr (kWeighted) h[0] *= factor_of_single;
      if constexpr (kLayer)
        h[0] += move_of_single;
      else if (has_beta)  // rare, and read again for every row
        h[0] += single_of(work.beta, -0.0f);
      apply_chain<T, true>(chain, work, p, i, cut.at, h);
      store_result<T, Chain, true>(work.out, p, i, cut.at, h);
    }
    if (after >= end) return;
    i = after;
    row = next;
  }
#endif
}

}  // namespace gpuopt
