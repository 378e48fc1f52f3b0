// A row in registers: what norm_bulk_row does with rows in its ring, and norm_block_row before interpreted stages.
//
// Idea and data movement: each thread takes V vectors of 16 bytes of its row, adds the residual, and makes the statistics of
// its own elements in fp32; after one join it normalises, multiplies, adds and stores. row_whole.cuh is for rows that
// threads hold in whole vectors without residual; norm_row() here is all others. Who has stages after the norm includes
// row_stages.cuh as well. Where a row does not begin at 16 bytes its vectors are cut at out's alignment, as in fused_act;
// head and tail are an element a thread. Operands that are aligned otherwise move element by element, weights by vectors
// that are shifted into place (unaligned.cuh).
#pragma once

#include "norm/common/groups.cuh"
#include "norm/common/row_work.cuh"
#include "norm/common/unaligned.cuh"

namespace gpuopt {

// x, residual: the row itself, in memory or brought closer.
template <class T, int kNorm, int V, int kMode, bool kStages, class Group>
__device__ __forceinline__ void norm_row(const RowWork<T> &work, Group &group, const T *x, const T *residual, int32_t p,
                                         int32_t i, bool exists) {
  constexpr int K = 16 / sizeof(T);
  static_assert(kLeastGroup >= 2 * (K - 1), "a thread for each element of head and tail");
  constexpr bool kAligned = kMode != kRowAny;
  const int32_t n = exists ? work.cols : 0;
  const auto row_of = [&](const View &view) { return start_of_result<T>(view, p, i); };
  T *const out = row_of(work.out);
  // Head, vectors that are aligned in out, tail; a thread has at most one element of head and tail.
  int32_t head = 0, at = n;  // at: of that element
  if constexpr (!kAligned) {
    head = (K - elements_before(out)) % K;
    if (head > n) head = n;
  }
  const int32_t vectors = (n - head) / K;
  if constexpr (!kAligned) at = group.rank() < head ? group.rank() : vectors * K + group.rank();
  const bool single = !kAligned && at < n;
  const auto each = [&](auto &&f) {  // f(vector, its first element)
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const int32_t vector = v * group.size() + group.rank();
      if (vector < vectors) f(v, head + vector * K);
    }
  };
  const auto element = [&](const T *row) { return widen<float>(row[at]); };

  float h[V][K], one = 0;
  {
    Bits<T, K> loaded[V];
    each([&](int v, int32_t first) { loaded[v] = load_vector<kAligned, T, K>(x + first); });
    if (single) one = element(x);
    each([&](int v, int32_t) { widen_bits(loaded[v], h[v]); });
  }
  if (work.residual.dtype != 0) {
    each([&](int v, int32_t first) { add(h[v], load_vector<kAligned, T, K>(residual + first)); });
    if (single) one += element(residual);
    if (work.sum.dtype != 0) {
      T *const sum = row_of(work.sum);
      each([&](int v, int32_t first) { store_vector<kAligned, T, K>(sum + first, h[v]); });
      if (single) sum[at] = narrow<T>(one);
    }
  }

  Moments m = no_moments<kNorm>();
  const auto each_value = [&](auto &&f) {
    each([&](int v, int32_t) {
#pragma unroll
      for (int e = 0; e < K; ++e) f(h[v][e]);
    });
    if (single) f(one);
  };
  if constexpr (kNorm == GPUOPT_NORM_RMSNORM) {
    each_value([&](float value) { m.second += value * value; });
  } else if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
    int32_t count = single ? 1 : 0;
    each([&](int, int32_t) { count += K; });
    const float origin = group.rank() < vectors ? origin_of(h[0]) : one;
    float sum = 0, squares = 0;
    each_value([&](float value) {
      const float d = value - origin;
      sum += d;
      squares += d * d;
    });
    m = moments_of_distances(static_cast<float>(count), origin, sum, squares);
  } else {
    each_value([&](float value) { m.first = greater(m.first, value); });
    const float origin = pivot(m.first);
    each_value([&](float value) { m.second += fast::exp(value - origin); });
  }
  const auto cols = static_cast<float>(work.cols);
  m = group.template join<kNorm, false>(m, cols);
  const RowFactors row = factors_of<kNorm>(work, m, cols);
  if (work.statistics.dtype != 0 && group.rank() == 0 && exists) store_statistics(work, p, i, row);

  each([&](int v, int32_t) { normalise<kNorm>(row, h[v]); });
  one = normalised<kNorm>(row, one);
  if constexpr (!kIsSoftmax<kNorm>) {
    const auto weigh = [&](const View &view, auto &&f) {
      const T *const weights = start_of_weights<T>(view, p);
      each([&](int v, int32_t first) {
        float weight[K];
        widen_bits(load_weights<kAligned, T, K>(weights, first, n), weight);
#pragma unroll
        for (int e = 0; e < K; ++e) f(h[v][e], weight[e]);
      });
      if (single) f(one, element(weights));
    };
    if (work.gamma.dtype != 0) weigh(work.gamma, [](float &value, float gamma) { value *= gamma; });
    if (work.beta.dtype != 0) weigh(work.beta, [](float &value, float beta) { value += beta; });
  }
  if constexpr (kStages) {
    each([&](int v, int32_t first) {
      apply_row_stages(work.stages, h[v], [&](const View &view, float(&a)[K]) {
        widen_bits(load_vector<kAligned, T, K>(row_of(view) + first), a);
      });
    });
    if (single) {
      float last[1] = {one};
      apply_row_stages(work.stages, last, [&](const View &view, float(&a)[1]) { a[0] = element(row_of(view)); });
      one = last[0];
    }
  }
  each([&](int v, int32_t first) { store_vector<kAligned, T, K>(out + first, h[v]); });
  if (single) out[at] = narrow<T>(one);
}

}  // namespace gpuopt
