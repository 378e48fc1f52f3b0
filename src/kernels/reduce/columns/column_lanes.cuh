// What one thread keeps in registers for N neighbouring columns while it walks down their rows: a ColumnLanes, a
// result a column. It absorbs the N elements of one row at a time. A thread sees at most kMostRowsOfLane rows.
#pragma once

#include "reduce/columns/columns.h"
#include "reduce/common/order.cuh"
#include "reduce/common/terms.cuh"
#include "reduce/common/wide_sum.cuh"

namespace gpuopt {

// The score of a flipped value: an integer, greater for greater values, greatest for NaN, and equal for -0 and +0.
__device__ __forceinline__ int32_t score_of(float x) {
  const int32_t bits = __float_as_int(x + 0.0f);  // -0 + 0 is +0
  const int32_t score = bits ^ (bits >> 31 & 0x7fffffff);
  return x != x ? std::numeric_limits<int32_t>::max() : score;
}
__device__ __forceinline__ int64_t score_of(double x) {
  const int64_t bits = __double_as_longlong(x + 0.0);
  const int64_t score = bits ^ (bits >> 63 & std::numeric_limits<int64_t>::max());
  return x != x ? std::numeric_limits<int64_t>::max() : score;
}
template <class I>
__device__ __forceinline__ I score_of(I x) {
  return x;
}
__device__ __forceinline__ float value_of_score(int32_t score, float) {
  return __int_as_float(score ^ (score >> 31 & 0x7fffffff));  // of the greatest score a NaN
}
__device__ __forceinline__ double value_of_score(int64_t score, double) {
  return __longlong_as_double(score ^ (score >> 63 & std::numeric_limits<int64_t>::max()));
}
template <class I>
__device__ __forceinline__ I value_of_score(I score, I) {
  return score;
}
template <class T>
using Score = std::conditional_t<sizeof(Ordered<T>) == 8, int64_t, int32_t>;

template <class Op, class T, int N>
struct ColumnLanes;

template <class C, class T>
using ColumnSum = std::conditional_t<kIsSmallInteger<T>, int32_t, Summand<C>>;

template <class C, class T, int N>
struct ColumnSums {
  ColumnSum<C, T> sum[N] = {};

  template <class Op>
  __device__ __forceinline__ typename Op::Partial partial(const Op &, int e, int64_t, int) const {
    return static_cast<typename Op::Partial>(sum[e]);
  }
};

template <class C, class T, int N>
struct ColumnLanes<Sum<C>, T, N> : ColumnSums<C, T, N> {
  __device__ __forceinline__ void absorb(const Sum<C> &op, const Pack<T, N> &x, const Pack<T, N> &, int) {
    using Term = ColumnSum<C, T>;
    Term terms[N];
    to_terms<C>(x, terms);
#pragma unroll
    for (int e = 0; e < N; ++e) {
      Term t = terms[e];
      if (op.state.map == kSquare) t *= t;
      if (op.state.map == kMagnitude) {
        if constexpr (std::is_floating_point_v<Term>)
          t = fabs(t);
        else if constexpr (!std::is_same_v<T, uint8_t>)
          t = x.v[e] < 0 ? Term(0) - t : t;
      }
      this->sum[e] += t;
    }
  }
};

template <class C, class T, int N>
struct ColumnLanes<WideSum<C>, T, N> {
  using Op = WideSum<C>;
  WideInteger sum[N] = {};

  __device__ __forceinline__ void absorb(const Op &op, const Pack<T, N> &x, const Pack<T, N> &, int) {
#pragma unroll
    for (int e = 0; e < N; ++e) sum[e] = sum[e] + op.term(x.v[e]);
  }
  __device__ __forceinline__ WideInteger partial(const Op &, int e, int64_t, int) const { return sum[e]; }
};

template <class C, class T, int N>
struct ColumnLanes<Dot<C>, T, N> : ColumnSums<C, T, N> {
  __device__ __forceinline__ void absorb(const Dot<C> &, const Pack<T, N> &x, const Pack<T, N> &y, int) {
    ColumnSum<C, T> of_x[N], of_y[N];
    to_terms<C>(x, of_x);
    to_terms<C>(y, of_y);
#pragma unroll
    for (int e = 0; e < N; ++e) this->sum[e] += of_x[e] * of_y[e];
  }
};

template <class C, class T, int N>
struct ColumnLanes<Product<C>, T, N> {
  using Op = Product<C>;
  Summand<C> product[N];

  __device__ __forceinline__ ColumnLanes() {
#pragma unroll
    for (int e = 0; e < N; ++e) product[e] = 1;
  }
  __device__ __forceinline__ void absorb(const Op &, const Pack<T, N> &x, const Pack<T, N> &, int) {
    Summand<C> factors[N];
    to_terms<C>(x, factors);
#pragma unroll
    for (int e = 0; e < N; ++e) product[e] *= factors[e];
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &, int e, int64_t, int) const { return product[e]; }
};

template <class C, class T, int N>
struct ColumnLanes<Extreme<C>, T, N> {
  using Op = Extreme<C>;
  static constexpr bool kPairs = kIsPaired<T> && N >= 2;
  std::conditional_t<kPairs, uint32_t, Ordered<T>> best[kPairs ? N / 2 : N];

  __device__ __forceinline__ ColumnLanes() {
#pragma unroll
    for (auto &b : best) {
      if constexpr (kPairs)
        b = kLowestPair<T>;
      else
        b = lowest<Ordered<T>>();
    }
  }
  __device__ __forceinline__ void absorb(const Op &op, const Pack<T, N> &x, const Pack<T, N> &, int) {
    const bool keep = op.state.most != 0;
    if constexpr (kPairs) {
      const auto bits = bits_as<Bits<T, N>>(x);
#pragma unroll
      for (int w = 0; w < N / 2; ++w) best[w] = greater_of_pairs<T>(best[w], bits.w[w] ^ (keep ? 0 : kFlipOfPair));
    } else {
#pragma unroll
      for (int e = 0; e < N; ++e) best[e] = greater_of(best[e], ordered<T>(x.v[e], keep));
    }
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &op, int e, int64_t, int) const {
    if constexpr (kPairs)
      return key_of_ordered<C>(value_of_pair<T>(best[e / 2], e % 2), op.state.most);
    else
      return key_of_ordered<C>(best[e], op.state.most);
  }
};

template <class C, class T, int N>
struct ColumnLanes<Arg<C>, T, N> {
  using Op = Arg<C>;
  Score<T> best[N];
  int32_t step[N];

  __device__ __forceinline__ ColumnLanes() {
#pragma unroll
    for (int e = 0; e < N; ++e) {
      best[e] = std::numeric_limits<Score<T>>::min();
      step[e] = -1;
    }
  }
  __device__ __forceinline__ void absorb(const Op &op, const Pack<T, N> &x, const Pack<T, N> &, int now) {
#pragma unroll
    for (int e = 0; e < N; ++e) {
      const Score<T> score = score_of(ordered<T>(x.v[e], op.state.most != 0));
      if (score > best[e] || step[e] < 0) {
        best[e] = score;
        step[e] = now;
      }
    }
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &op, int e, int64_t row, int row_step) const {
    if (step[e] < 0) return Op::identity();
    return {key_of_ordered<C>(value_of_score(best[e], Ordered<T>()), op.state.most), row + int64_t{step[e]} * row_step};
  }
};

}  // namespace gpuopt
