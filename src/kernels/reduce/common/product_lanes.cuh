// Lanes (lanes.cuh) of DOT and PROD.
#pragma once

#include "reduce/common/lanes.cuh"

namespace gpuopt {

template <class C, class T, int N, int kMost>
struct Lane<Dot<C>, T, N, kMost> {
  using Op = Dot<C>;
  using Line = SumLane<Summand<C>, T, N, kMost>;
  using Term = typename Line::Term;
  Line line;

  template <int U>
  __device__ __forceinline__ void absorb(const Op &, int count, const Loaded<Op, T, N> (&x)[U],
                                         const Loaded<Op, T, N> (&y)[U], int64_t, int64_t) {
    if constexpr (kIsByWords<T, N>) {
      int32_t sum = 0;
#pragma unroll
      for (int u = 0; u < U; ++u) {
        if (u >= count) continue;
#pragma unroll
        for (int w = 0; w < N / 4; ++w) sum = dot_of_words(x[u].w[w], y[u].w[w], sum, T());
      }
      line.sum[0] += static_cast<Summand<C>>(sum);
    } else {
#pragma unroll
      for (int u = 0; u < U; ++u) {
        if (u >= count) continue;
        Term of_x[N], of_y[N];
        to_terms<C>(x[u], of_x);
        to_terms<C>(y[u], of_y);
        line.add([&](int e) { return of_x[e] * of_y[e]; });
      }
    }
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &) const { return line.total(); }
};

template <class C, class T, int N, int kMost>
struct Lane<Product<C>, T, N, kMost> {
  using Op = Product<C>;
  using Factor = Summand<C>;
  static constexpr int kChains = N < kMost ? N : kMost;
  Factor product[kChains];

  __device__ __forceinline__ Lane() {
#pragma unroll
    for (int c = 0; c < kChains; ++c) product[c] = 1;
  }
  template <int U>
  __device__ __forceinline__ void absorb(const Op &, int count, const Pack<T, N> (&x)[U], const Pack<T, N> (&)[U],
                                         int64_t, int64_t) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u >= count) continue;
      Factor of_x[N];
      to_terms<C>(x[u], of_x);
#pragma unroll
      for (int e = 0; e < N; ++e) product[e % kChains] *= of_x[e];
    }
  }
  __device__ __forceinline__ Factor partial(const Op &) const {
    Factor p = product[0];
#pragma unroll
    for (int c = 1; c < kChains; ++c) p *= product[c];
    return p;
  }
};

}  // namespace gpuopt
