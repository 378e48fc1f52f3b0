// A block reads its row twice, whatever its length, with or without stages after the norm.
//
// Nothing of a row is kept but its statistics. The first reading makes them, each vector's own joined to those before it
// (moments.cuh), so a long row loses no more digits than a short one. The second goes from the row's end to its
// beginning, as what was read last is nearest, and finds in the second-level cache what the blocks that run at the same
// time have read: some tens of megabytes hold rows of 64 KB many times over. They do not hold rows of 1 MB, two of an SM:
// those come from memory twice.
#pragma once

#include "norm/cache/long_row.h"
#include "norm/common/early_rows.cuh"
#include "norm/common/groups.cuh"
#include "norm/common/other_types.cuh"
#include "norm/common/row_linear.cuh"
#include "norm/common/row_stages.cuh"
#include "norm/common/row_work.cuh"
#include "norm/common/running_moments.cuh"
#include "norm/common/unaligned.cuh"

namespace gpuopt {

template <bool kAligned>
constexpr int kLongBlocks = blocks_at_once<kLongThreads<kAligned>>(kAligned ? 2 : 3);

// Statistics of one vector after the other. LAYERNORM joins them by their own means, as lanes and warps do.
template <int kNorm>
struct LongMoments : RunningMoments<kNorm> {};
template <>
struct LongMoments<GPUOPT_NORM_LAYERNORM> {
  Moments all = no_moments<GPUOPT_NORM_LAYERNORM>();  // the mean as a distance from the origin, in first
  float origin = 0;                                   // the first vector's mean

  template <int K>
  __device__ __forceinline__ void add(const float (&h)[K]) {
    RunningMoments<GPUOPT_NORM_LAYERNORM> vector;
    vector.add(h);
    const Moments m = vector.result();
    if (all.count == 0) origin = m.mean;
    const float count = all.count + K, share = __fdividef(static_cast<float>(K), count);
    const float d = ((m.mean - origin) + m.first) - all.first;
    all.first += d * share;
    all.second += m.second + d * d * (all.count * share);
    all.count = count;
  }
  __device__ __forceinline__ Moments result() const {
    const SplitMean<float> mean = split_mean(origin, all.first);
    return {all.count, mean.high, mean.low, all.second};
  }
};

// Of weights in fp32, whatever lies around them: K of them.
template <bool kAligned, int K>
__device__ __forceinline__ void wide_weights(const float *from, float (&a)[K]) {
  if (kAligned || elements_before(from) == 0) {
    load_wide<false>(from, a);
  } else {
#pragma unroll
    for (int e = 0; e < K; ++e) a[e] = from[e];
  }
}

template <class T, int kNorm, bool kAligned>
__global__ void __launch_bounds__(kLongThreads<kAligned>, kLongBlocks<kAligned>)
    norm_long_row_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ RowChain stages) {
  constexpr int K = 16 / sizeof(T);
  __shared__ Moments partials[2][kLongThreads<kAligned> / 32];
  BlockGroup<kLongThreads<kAligned> / 32> group(partials);
  int32_t i;
  const int32_t p = work.place(static_cast<int32_t>(blockIdx.x), i), n = work.cols;
  wait_with_row(work, p, i, group.rank(), group.size());
  const auto row_of = [&](const View &view) { return start_of_result<T>(view, p, i); };
  const T *const x = row_of(work.x), *const residual = row_of(work.residual);
  T *const out = row_of(work.out), *const sum = row_of(work.sum);
  const bool narrow_out = work.out.dtype == GPUOPT_E4M3;
  __nv_fp8_e4m3 *const out_e4m3 = start_of_result<__nv_fp8_e4m3>(work.out, p, i);
  const bool wide = sizeof(T) == 2 && (work.gamma.dtype == GPUOPT_F32 || work.beta.dtype == GPUOPT_F32);  // both
  const bool has_residual = work.residual.dtype != 0, has_sum = work.sum.dtype != 0;
  // Head, vectors that are aligned in out, where that is narrower in x, tail; a thread has at most one element of head and tail.
  int32_t head = 0, at = n;  // at: of that element
  if constexpr (!kAligned) {
    head = (K - elements_before(narrow_out ? x : out)) % K;
    if (head > n) head = n;
  }
  const int32_t vectors = (n - head) / K, rank = group.rank(), size = group.size();
  if constexpr (!kAligned) at = rank < head ? rank : vectors * K + rank;
  const bool single = !kAligned && at < n;
  // Element, or vector, that is read; a vector that the row does not have is its last one, so that no load waits behind
  // a branch.
  const auto first_of = [&](int32_t vector) { return head + (vector < vectors ? vector : vectors - 1) * K; };
  const auto element = [&] {
    float h = widen<float>(x[at]);
    if (has_residual) h += widen<float>(residual[at]);
    return h;
  };
  // f(first element, the elements) of as many vectors from this one on as there are.
  const auto each = [&](auto vectors_at_once, int32_t vector, auto &&f) {
    constexpr int kVectors = decltype(vectors_at_once)::value;
    Bits<T, K> bits[kVectors], others[kVectors];
#pragma unroll
    for (int v = 0; v < kVectors; ++v) bits[v] = load_vector<kAligned, T, K>(x + first_of(vector + v * size));
    if (has_residual) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v)
        others[v] = load_vector<kAligned, T, K>(residual + first_of(vector + v * size));
    }
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      if (vector + v * size >= vectors) break;
      float h[K];
      widen_bits(bits[v], h);
      if (has_residual) add(h, others[v]);
      f(head + (vector + v * size) * K, h);
    }
  };

  LongMoments<kNorm> running;
#pragma unroll 1
  for (int32_t vector = rank; vector < vectors; vector += kLongAhead * size)
    each(std::integral_constant<int, kLongAhead>{}, vector, [&](int32_t, float(&h)[K]) { running.add(h); });
  if (single) {
    const float one[1] = {element()};
    running.add(one);
  }
  const auto cols = static_cast<float>(n);
  const RowFactors factors = factors_of<kNorm>(work, group.template join<kNorm, false>(running.result(), cols), cols);
  if (work.statistics.dtype != 0 && rank == 0) store_statistics(work, p, i, factors);

  // What becomes of the norm's value: weights, stages. from(operand of this row or weight, to): elements of it.
  const auto finish = [&](auto &h, auto &&weight_of, auto &&operand_of) {
    [[maybe_unused]] constexpr int kCount = sizeof h / sizeof h[0];
    normalise<kNorm>(factors, h);
    if constexpr (!kIsSoftmax<kNorm>) {
      float a[kCount];
      if (work.gamma.dtype != 0) {
        weight_of(work.gamma, a);
#pragma unroll
        for (int e = 0; e < kCount; ++e) h[e] *= a[e];
      }
      if (work.beta.dtype != 0) {
        weight_of(work.beta, a);
#pragma unroll
        for (int e = 0; e < kCount; ++e) h[e] += a[e];
      }
    }
    if (stages.linear) {
      apply_row_step(stages.chain.before, h);
      apply_row_act(stages.chain.act, h);
      apply_row_step(stages.chain.after, h);
    } else {
      apply_row_stages(work.stages, h, operand_of);
    }
  };
  const auto weights_of = [&](const View &view) { return start_of_weights<T>(view, p); };
  const int32_t step = kLongAgain * size;
#pragma unroll 1
  for (int32_t vector = (vectors - 1) / step * step + rank; vector >= 0; vector -= step) {
    if (vector >= vectors) continue;
    each(std::integral_constant<int, kLongAgain>{}, vector, [&](int32_t first, float(&h)[K]) {
      if (has_sum) store_vector<kAligned, T, K>(sum + first, h);
      finish(
          h,
          [&](const View &view, float(&a)[K]) {
            if (wide)
              wide_weights<kAligned>(start_of_weights<float>(view, p) + first, a);
            else
              widen_bits(load_weights<kAligned, T, K>(weights_of(view), first, n), a);
          },
          [&](const View &view, float(&a)[K]) { widen_bits(load_vector<kAligned, T, K>(row_of(view) + first), a); });
      if (narrow_out)
        store_e4m3<!kAligned>(out_e4m3 + first, h);
      else
        store_vector<kAligned, T, K>(out + first, h);
    });
  }
  if (!single) return;
  float one[1] = {element()};
  if (has_sum) sum[at] = narrow<T>(one[0]);
  finish(
      one,
      [&](const View &view, float(&a)[1]) {
        a[0] = wide ? start_of_weights<float>(view, p)[at] : widen<float>(weights_of(view)[at]);
      },
      [&](const View &view, float(&a)[1]) { a[0] = widen<float>(row_of(view)[at]); });
  if (narrow_out)
    store_e4m3<!kAligned>(out_e4m3 + at, one);
  else
    out[at] = narrow<T>(one[0]);
}

}  // namespace gpuopt
