// A row in the registers of a group of threads, some lanes of a warp or a block: what norm_warp_row and norm_block_row do.
//
// All vectors of x and the residual are under way before the first is used, none behind a branch, and stay packed: elements
// of 16 bits two to a register, a residual beside x; weights are under way before the join where registers allow. Groups
// are small, so that many are at different points of their work. Rows that do not begin at 16 bytes are cut at out's
// vectors; head and tail are an element a thread. Weights, and x where it begins otherwise, are shifted into place.
#pragma once

#include "norm/common/early_rows.cuh"
#include "norm/common/groups.cuh"
#include "norm/registers/row_acts.cuh"
#include "norm/registers/row_results.cuh"
#include "norm/registers/rows_part.cuh"

namespace gpuopt {

// Whether a thread asks for its weights before the rows' statistics are joined: where registers allow.
template <int kNorm, int V, bool kAdds, bool kAny>
constexpr bool weights_ahead() {
  constexpr bool kWeighted = kNorm == GPUOPT_NORM_LAYERNORM || kNorm == GPUOPT_NORM_RMSNORM;
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 900 || __CUDA_ARCH__ >= 1000)
  return kWeighted && !kAny && V <= 2;
#else
  return kWeighted && (kAny ? V <= 2 && kNorm == GPUOPT_NORM_RMSNORM : V <= (kAdds ? 2 : 4));
#endif
}

// Threads with so many vectors have all of them: no registers are left for what a row has not.
constexpr int kWholeVectors = 8;

// From so many vectors on whole ones are left in any case.
constexpr int kSingleApart = 4;

// Groups whose kernels have one instance for all: with kAdds a residual may be absent, with a chain weights may be wide, and weights
// are asked for before the join.
template <class Group>
constexpr bool kTakesAll = false;

// g: the row's number; where there is no such row the last one is read and nothing is written.
template <class T, int kNorm, int V, bool kAdds, bool kAny, class Chain, class Group>
__device__ __forceinline__ void norm_group_row(const RowWork<T> &work, const Chain &chain, Group &group, int32_t g) {
  constexpr int K = 16 / sizeof(T);
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM, kPlain = std::is_same_v<Chain, NoChain>;
  constexpr bool kLinear = std::is_same_v<Chain, RowLinear>, kAll = kTakesAll<Group>;
  constexpr bool kAhead = kAll ? !kIsSoftmax<kNorm> : kPlain && weights_ahead<kNorm, V, kAdds, kAny>();
  const int32_t total = work.rows * work.batch, n = work.cols, rank = group.rank(), size = group.size();
  const bool exists = g < total;
  int32_t i = exists ? g : total - 1, p = 0;
  if (work.batch > 1) p = work.place(i, i);
  wait_with_row(work, p, i, rank, size);
  const T *const gammas = start_of_weights<T>(work.gamma, p), *const betas = start_of_weights<T>(work.beta, p);
  const auto wide_of = [&](const View &view, int32_t at) { return start_of_weights<float>(view, p) + at; };
  const bool has_gamma = !kIsSoftmax<kNorm> && work.gamma.dtype != 0;
  const bool has_beta = !kIsSoftmax<kNorm> && work.beta.dtype != 0, has_sum = work.sum.dtype != 0;
  const bool adds = kAdds && (!kAll || work.residual.dtype != 0);
  constexpr bool kWide = sizeof(T) == 2 && V < kWholeVectors && (kLinear || (kAll && !kPlain));
  const bool wide = kWide && (work.gamma.dtype == GPUOPT_F32 || work.beta.dtype == GPUOPT_F32);  // both
  RowCut cut = {0, n / K, n};
  if constexpr (kAny) {
    // At out's vectors; where it is narrower, at x's.
    const View &cuts = work.out.dtype == GPUOPT_E4M3 ? work.x : work.out;
    const int32_t head = (K - elements_before(start_of_row<T>(cuts, p, i))) % K;
    const auto before_in = [&](const T *row) { return elements_before(row + head); };
    int32_t before = before_in(start_of_row<T>(work.x, p, i));
    if (adds) before = max(before, before_in(start_of_row<T>(work.residual, p, i)));
    if (has_gamma) before = max(before, wide ? elements_before(wide_of(work.gamma, head)) : before_in(gammas));
    if (has_beta) before = max(before, wide ? elements_before(wide_of(work.beta, head)) : before_in(betas));
    // The group's last warp has head and tail, beside those that have vectors, where there are such.
    int32_t single = rank;
    if (kAll && V == 1 && n >= kSingleApart * K) single = rank < size - 32 ? n : rank - (size - 32);
    cut = RowCut::of<T>(head, before, n, single);
  }
  const bool has_single = kAny && cut.at < n;
  constexpr bool kWhole = V == kWholeVectors && kPlain && !kAny;
  int mine = kWhole ? V : 0;
  if constexpr (!kWhole) {  // counted: a division is some thirty instructions
#pragma unroll
    for (int v = 0; v < V; ++v) mine += v * size + rank < cut.vectors ? 1 : 0;
  }

  RowsPart<T, V, kAdds, kAny> row;
  if constexpr (kAny) row.x.fill(0);
  if constexpr ((kAny || kAll) && kAdds) row.residual.fill(kAll ? neutral_word<T>(false) : 0);
  row.x.load(start_of_row<T>(work.x, p, i), cut, rank, size, n);
  if constexpr (kAdds) {
    if (adds) row.residual.load(start_of_row<T>(work.residual, p, i), cut, rank, size, n);
  }
  RowVectors<T, kAhead ? V : 1, kAny> gamma, beta;  // absent ones are never loaded and stay as they are
  gamma.fill(neutral_word<T>(true));
  beta.fill(neutral_word<T>(false));
  if constexpr (kAhead) {
    if (has_gamma && !wide) gamma.load(gammas, cut, rank, size, n);
    if (kLayer && has_beta && !wide) beta.load(betas, cut, rank, size, n);
  }
  const auto weights = [&](const T *all, int32_t at) {
    const T *const from = all + at;
    return !kAny || elements_before(from) == 0 ? load_bits<T, K>(from) : load_unaligned<T, K>(from);
  };
  const auto cols = static_cast<float>(n);

  const RowFactors factors = factors_of<kNorm>(
      work, group.template join<kNorm, false>(row.template moments<kNorm>(mine, has_single), cols), cols);
  if (!exists) return;
  if (work.statistics.dtype != 0 && rank == 0) store_statistics(work, p, i, factors);
  stay_packed(row.x.bits);
  if constexpr (kAdds) stay_packed(row.residual.bits);
  stay_packed(gamma.bits);
  stay_packed(beta.bits);

  const auto finish = [&](float &h, float factor, float move) {
    h = normalised<kNorm>(factors, h);
    if constexpr (!kIsSoftmax<kNorm>) h *= factor;
    if constexpr (kLayer) h += move;
  };
  const auto vectors = [&](const auto &chained) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (v >= mine) continue;
      const int32_t at = cut.head + (v * size + rank) * K, held = kAhead ? v : 0;
      if (!kAhead && has_gamma && !wide) gamma.bits[0] = weights(gammas, at);
      if (!kAhead && kLayer && has_beta && !wide) beta.bits[0] = weights(betas, at);
      float h[K], factor[K], move[K];
      widen_bits(gamma.bits[held], factor);
      widen_bits(beta.bits[held], move);
      if (wide && has_gamma) load_wide<kAny>(wide_of(work.gamma, at), factor);
      if (wide && has_beta) load_wide<kAny>(wide_of(work.beta, at), move);
      row.elements(v, h);
      if (kAdds && has_sum) store_vector<!kAny, T, K>(start_of_result<T>(work.sum, p, i) + at, h);
#pragma unroll
      for (int e = 0; e < K; ++e) finish(h[e], factor[e], move[e]);
      if (!kLayer && has_beta) {  // rare
        if (!wide) widen_bits(weights(betas, at), move);
#pragma unroll
        for (int e = 0; e < K; ++e) h[e] += move[e];
      }
      apply_chain<T, kAny>(chained, work, p, i, at, h);
      store_result<T, Chain, kAny>(work.out, p, i, at, h);
    }
  };
  // A branch of its own for each usual activation: none is asked for between two vectors. fp32 has fewer elements a vector.
  if constexpr (kLinear && !kAny && sizeof(T) == 2 && (V < kWholeVectors || !kLayer))
    with_row_act<false>(chain, false, vectors);
  else
    vectors(chain);
  if (has_single) {
    const auto weight = [&](const View &view, const T *narrow_ones) {
      return wide ? *wide_of(view, cut.at) : widen<float>(narrow_ones[cut.at]);
    };
    const float move = has_beta ? weight(work.beta, betas) : -0.0f;
    float h[1] = {row.single()};
    if (kAdds && has_sum) start_of_result<T>(work.sum, p, i)[cut.at] = narrow<T>(h[0]);
    finish(h[0], has_gamma ? weight(work.gamma, gammas) : 1.0f, move);
    if (!kLayer && has_beta) h[0] += move;
    apply_chain<T, kAny>(chain, work, p, i, cut.at, h);
    store_result<T, Chain, kAny>(work.out, p, i, cut.at, h);
  }
}

}  // namespace gpuopt
