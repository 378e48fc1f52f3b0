// R rows at once, each in the registers of the same group of threads, some lanes of a warp or a block: what norm_warp_row and
// norm_block_row do without stages.
//
// All vectors of x and the residual are under way before the first is used, none behind a branch, and stay packed: elements
// of 16 bits two to a register, a residual beside x. Rows share one join (a barrier, in a block) and the weights, which
// are under way before it where registers allow (kAhead). Rows that do not begin at 16 bytes are cut at out's vectors; head
// and tail are an element a thread. The R rows then begin alike: where the leading dimension is odd, every eighth row of
// 16-bit elements does. Weights, and x where it begins otherwise, are shifted into place, once for all of them.
#pragma once

#include "norm/common/groups.cuh"
#include "norm/common/row_linear.cuh"
#include "norm/common/row_part.cuh"
#include "norm/common/unaligned.cuh"
#include "norm/registers/row_deal.h"

namespace gpuopt {

// How a row of n elements is cut: head elements, whole vectors that are aligned in out, tail elements. Head and tail are
// an element a thread. They are a vector longer where an operand's shifted vectors would else reach beyond the row.
struct RowCut {
  int32_t head, vectors, at;  // at: the element of head or tail that this thread has; n: none

  // before: the most elements that an operand's element number `head` lies behind a 16-byte boundary.
  template <class T>
  __device__ __forceinline__ static RowCut of(int32_t head, int32_t before, int32_t n, int32_t rank) {
    constexpr int K = 16 / sizeof(T);
    RowCut cut;
    cut.head = min(head < before ? head + K : head, n);
    cut.vectors = (n - cut.head) / K;
    if (before != 0 && cut.vectors > 0) --cut.vectors;
    cut.at = rank < cut.head ? rank : min(cut.vectors * K + rank, n);
    return cut;
  }
};

// A thread's vectors of one row of one operand; kAny: wherever it begins, and the element of head or tail.
template <class T, int V, bool kAny>
struct RowVectors {
  static constexpr int K = 16 / sizeof(T);
  Bits<T, K> bits[V];
  T one;

  // Of an aligned row a vector that it does not have is read from its last one; of others it is not read.
  __device__ __forceinline__ void load(const T *row, const RowCut &cut, int32_t rank, int32_t size, int32_t n) {
    if constexpr (!kAny) {
      uint32_t offset = rank * 16;
      const uint32_t last = (cut.vectors - 1) * 16;
#pragma unroll
      for (int v = 0; v < V; ++v, offset += size * 16) bits[v] = load_bits<T, K>(behind(row, min(offset, last)));
    } else {
      const T *const first = row + cut.head + rank * K;
      if (elements_before(row + cut.head) == 0) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          if (v * size + rank < cut.vectors) bits[v] = load_bits<T, K>(first + v * size * K);
        }
      } else {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          if (v * size + rank < cut.vectors) bits[v] = load_unaligned<T, K>(first + v * size * K);
          if (v % 2 == 1) asm volatile("" ::: "memory");  // no more loads before these are shifted: registers
        }
      }
      if (cut.at < n) one = row[cut.at];
    }
  }
  __device__ __forceinline__ void fill(uint32_t word) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
#pragma unroll
      for (uint32_t &w : bits[v].w) w = word;
    }
    one = element_of(bits[0], 0);
  }
};

// A thread's part of one row, and the residual's where there is one.
template <class T, int V, bool kAdds, bool kAny>
struct RowsPart {
  static constexpr int K = 16 / sizeof(T);
  RowVectors<T, V, kAny> x, residual;

  __device__ __forceinline__ void elements(int v, float (&h)[K]) const {
    widen_bits(x.bits[v], h);
    if constexpr (kAdds) add(h, residual.bits[v]);
  }
  __device__ __forceinline__ float single() const {
    return kAdds ? widen<float>(x.one) + widen<float>(residual.one) : widen<float>(x.one);
  }
  // Of the `mine` vectors that the thread has, and of single() where it has that. LAYERNORM takes distances from an element
  // of the thread's own, as RunningMoments does.
  template <int kNorm>
  __device__ __forceinline__ Moments moments(int mine, bool has_single) const {
    Moments m = no_moments<kNorm>();
    float origin = 0;
    if constexpr (kIsSoftmax<kNorm>) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        float h[K], greatest = -HUGE_VALF;
        elements(v, h);
#pragma unroll
        for (int e = 0; e < K; ++e) greatest = greater(greatest, h[e]);
        m.first = v < mine ? greater(m.first, greatest) : m.first;
      }
      if (kAny && has_single) m.first = greater(m.first, single());
      origin = pivot(m.first);
    } else if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
      float h[K];
      elements(0, h);
      origin = mine > 0 ? origin_of(h) : kAny && has_single ? single() : 0.0f;
    }
    float sum = 0, squares = 0, count = 0;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      float h[K], of_vector = 0, squares_of_vector = 0;
      elements(v, h);
#pragma unroll
      for (int e = 0; e < K; ++e) {
        const float d = h[e] - origin;
        of_vector += kIsSoftmax<kNorm> ? fast::exp(d) : d;
        squares_of_vector += d * d;
      }
      sum += v < mine ? of_vector : 0.0f;
      squares += v < mine ? squares_of_vector : 0.0f;
      count += v < mine ? K : 0.0f;
    }
    if (kAny && has_single) {
      const float d = single() - origin;
      sum += kIsSoftmax<kNorm> ? fast::exp(d) : d;
      squares += d * d;
      count += 1;
    }
    if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) return moments_of_distances(count, origin, sum, squares);
    m.second = kIsSoftmax<kNorm> ? sum : squares;
    return m;
  }
};

// Of weights in fp32, K from anywhere.
template <bool kAny, int K>
__device__ __forceinline__ void load_wide(const float *from, float (&a)[K]) {
#pragma unroll
  for (int e = 0; e < K; e += 4) {
    const Bits<float, 4> bits =
        !kAny || elements_before(from) == 0 ? load_bits<float, 4>(from + e) : load_unaligned<float, 4>(from + e);
#pragma unroll
    for (int w = 0; w < 4; ++w) a[e + w] = element_of(bits, w);
  }
}

// What becomes of a norm's values without stages; with a linear chain it is a RowLinear.
struct NoChain {};
template <int K>
__device__ __forceinline__ void apply_chain(const NoChain &, float (&)[K]) {}
template <int K>
__device__ __forceinline__ void apply_chain(const RowLinear &chain, float (&h)[K]) {
  apply_row_step(chain.before, h);
  apply_row_act(chain.act, h);
  apply_row_step(chain.after, h);
}
// K elements of a row of out, from `at` on.
template <class To, bool kAny, int K>
__device__ __forceinline__ void store_elements(const View &out, int32_t p, int32_t i, int32_t at, const float (&h)[K]) {
  To *const to = start_of_result<To>(out, p, i) + at;
  constexpr bool kAlways = !kAny && K > 1;
  if constexpr (K > 1) {
    if (kAlways || reinterpret_cast<uintptr_t>(to) % (K * sizeof(To)) == 0) store_bits(to, narrow_bits<To>(h));
  }
  if constexpr (!kAlways) {
    if (K > 1 && reinterpret_cast<uintptr_t>(to) % (K * sizeof(To)) == 0) return;
#pragma unroll
    for (int e = 0; e < K; ++e) to[e] = narrow<To>(h[e]);
  }
}
// Elements of out are T or, where a chain scales them, e4m3.
template <class T, class Chain, bool kAny, int K>
__device__ __forceinline__ void store_result(const View &out, int32_t p, int32_t i, int32_t at, const float (&h)[K]) {
  if (!cuda::std::is_same_v<Chain, NoChain> && out.dtype == GPUOPT_E4M3)
    store_elements<__nv_fp8_e4m3, kAny, K>(out, p, i, at, h);
  else if constexpr (kAny && K > 1 && cuda::std::is_same_v<Chain, NoChain>)
    store_bits(start_of_result<T>(out, p, i) + at, narrow_bits<T>(h));  // rows are cut there
  else
    store_elements<T, kAny, K>(out, p, i, at, h);
}

// The rows of one group. g: its number; where there is no such row it reads the last one and writes nothing.
template <class T, int kNorm, int R, int V, bool kAdds, bool kAny, class Chain, class Group>
__device__ __forceinline__ void norm_rows(const RowWork<T> &work, const Chain &chain, const RowDeal &deal, Group &group,
                                          int32_t g) {
  constexpr int K = 16 / sizeof(T);
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM, kAhead = kWeightsAhead<kNorm, V, kAny>;
  const int32_t total = work.rows * work.batch, n = work.cols, rank = group.rank(), size = group.size();
  const int32_t step = kAny ? 1 << deal.classes_log2 : 1;
  int32_t first = g * deal.each;
  if constexpr (kAny) first = (((g >> deal.classes_log2) * deal.each) << deal.classes_log2) + (g & (step - 1));
  const auto exists = [&](int r) { return (r == 0 || r < deal.each) && first + r * step < total; };
  int32_t i[R], p = 0;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    i[r] = exists(r) ? first + r * step : exists(0) ? first : total - 1;
    if (work.batch > 1) p = work.place(i[r], i[r]);  // rows of one matrix alone: deal.each is 1
  }
  const T *const gammas = start_of_weights<T>(work.gamma, p), *const betas = start_of_weights<T>(work.beta, p);
  const auto wide_of = [&](const View &view, int32_t at) { return start_of_weights<float>(view, p) + at; };
  const bool has_gamma = !kIsSoftmax<kNorm> && work.gamma.dtype != 0;
  const bool has_beta = !kIsSoftmax<kNorm> && work.beta.dtype != 0, has_sum = work.sum.dtype != 0;
  const bool wide = sizeof(T) == 2 && (work.gamma.dtype == GPUOPT_F32 || work.beta.dtype == GPUOPT_F32);  // both
  RowCut cut = {0, n / K, n};
  if constexpr (kAny) {
    // At out's vectors; where it is narrower, at x's.
    const View &cuts = work.out.dtype == GPUOPT_E4M3 ? work.x : work.out;
    const int32_t head = (K - elements_before(start_of_row<T>(cuts, p, i[0]))) % K;
    const auto before_in = [&](const T *row) { return elements_before(row + head); };
    int32_t before = before_in(start_of_row<T>(work.x, p, i[0]));
    if (kAdds) before = max(before, before_in(start_of_row<T>(work.residual, p, i[0])));
    if (has_gamma) before = max(before, wide ? elements_before(wide_of(work.gamma, head)) : before_in(gammas));
    if (has_beta) before = max(before, wide ? elements_before(wide_of(work.beta, head)) : before_in(betas));
    cut = RowCut::of<T>(head, before, n, rank);
  }
  const bool has_single = kAny && cut.at < n;
  // Threads with the most vectors have all of them: no registers are left for what a row has not.
  constexpr bool kWhole = V == kMostRowVectors && cuda::std::is_same_v<Chain, NoChain>;
  const int mine = kWhole ? V : cut.vectors > rank ? (cut.vectors - rank + size - 1) / size : 0;

  RowsPart<T, V, kAdds, kAny> row[R];
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if constexpr (kAny) row[r].x.fill(0);
    if constexpr (kAny && kAdds) row[r].residual.fill(0);
    if (r > 0 && !exists(r)) {
      row[r] = row[0];
      continue;
    }
    row[r].x.load(start_of_row<T>(work.x, p, i[r]), cut, rank, size, n);
    if constexpr (kAdds) row[r].residual.load(start_of_row<T>(work.residual, p, i[r]), cut, rank, size, n);
  }
  constexpr int kHeld = kAhead ? V : 1;
  RowVectors<T, kHeld, kAny> gamma, beta;  // absent ones are never loaded and stay as they are
  gamma.fill(neutral_word<T>(true));
  beta.fill(neutral_word<T>(false));
  if constexpr (kAhead) {
    if (has_gamma && !wide) gamma.load(gammas, cut, rank, size, n);
    if (kLayer && has_beta && !wide) beta.load(betas, cut, rank, size, n);
  }

  Moments m[R];
#pragma unroll
  for (int r = 0; r < R; ++r) m[r] = row[r].template moments<kNorm>(mine, has_single);
  const auto cols = static_cast<float>(n);
  group.template join_rows<kNorm>(m, cols);
  if (!exists(0)) return;
  RowFactors factors[R];
#pragma unroll
  for (int r = 0; r < R; ++r) {
    factors[r] = factors_of<kNorm>(work, m[r], cols);
    if (work.statistics.dtype != 0 && rank == 0 && exists(r)) store_statistics(work, p, i[r], factors[r]);
    stay_packed(row[r].x.bits);
    if constexpr (kAdds) stay_packed(row[r].residual.bits);
  }
  stay_packed(gamma.bits);
  stay_packed(beta.bits);

  const auto finish = [&](const RowFactors &of, float &h, float factor, float move) {
    h = normalised<kNorm>(of, h);
    if constexpr (!kIsSoftmax<kNorm>) h *= factor;
    if constexpr (kLayer) h += move;
  };
  const auto weights = [&](const T *all, int32_t at) {
    const T *const from = all + at;
    return !kAny || elements_before(from) == 0 ? load_bits<T, K>(from) : load_unaligned<T, K>(from);
  };
#pragma unroll
  for (int v = 0; v < V; ++v) {
    if (v >= mine) continue;
    const int32_t at = cut.head + (v * size + rank) * K, held = kAhead ? v : 0;
    if (!kAhead && has_gamma && !wide) gamma.bits[0] = weights(gammas, at);
    if (!kAhead && kLayer && has_beta && !wide) beta.bits[0] = weights(betas, at);
    float factor[K], move[K];
    widen_bits(gamma.bits[held], factor);
    widen_bits(beta.bits[held], move);
    if (wide && has_gamma) load_wide<kAny>(wide_of(work.gamma, at), factor);
    if (wide && kLayer && has_beta) load_wide<kAny>(wide_of(work.beta, at), move);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (!exists(r)) continue;
      float h[K];
      row[r].elements(v, h);
      if (kAdds && has_sum) store_vector<!kAny, T, K>(start_of_result<T>(work.sum, p, i[r]) + at, h);
#pragma unroll
      for (int e = 0; e < K; ++e) finish(factors[r], h[e], factor[e], move[e]);
      if (!kLayer && has_beta) {  // rare
        if (wide) {
          load_wide<kAny>(wide_of(work.beta, at), move);
#pragma unroll
          for (int e = 0; e < K; ++e) h[e] += move[e];
        } else {
          add(h, weights(betas, at));
        }
      }
      apply_chain(chain, h);
      store_result<T, Chain, kAny>(work.out, p, i[r], at, h);
    }
  }
  if (!has_single) return;
  const auto weight = [&](const View &view, const T *narrow_ones) {
    return wide ? *wide_of(view, cut.at) : widen<float>(narrow_ones[cut.at]);
  };
  const float factor = has_gamma ? weight(work.gamma, gammas) : 1.0f;
  const float move = has_beta ? weight(work.beta, betas) : -0.0f;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if (!exists(r)) continue;
    float h[1] = {row[r].single()};
    if (kAdds && has_sum) start_of_result<T>(work.sum, p, i[r])[cut.at] = narrow<T>(h[0]);
    finish(factors[r], h[0], factor, move);
    if (!kLayer && has_beta) h[0] += move;
    apply_chain(chain, h);
    store_result<T, Chain, kAny>(work.out, p, i[r], cut.at, h);
  }
}

}  // namespace gpuopt
