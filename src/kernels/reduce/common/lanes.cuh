// What one thread of a fast reduction keeps in registers while it reads: a Lane. It absorbs vectors of N neighbouring
// elements (16 bytes of them, or a single one) and yields the op's Partial (ops.cuh) at the end.
//
//   Sum                 up to four independent accumulators, so that additions of neighbours do not wait for each
//                       other; the elements that share an accumulator are combined within a vector first. 8-bit
//                       integers are summed in 32 bits within a few vectors, four products to an instruction.
//   Dot, Product        likewise (product_lanes.cuh)
//   WideSum             one sum (wide_sum.cuh)
//   Extreme             a running maximum (order.cuh)
//   Arg                 the first vector that has the greatest score: one comparison a vector; resolve() finds the
//                       element by reading that vector again, once
#pragma once

#include "reduce/common/order.cuh"
#include "reduce/common/terms.cuh"
#include "reduce/common/wide_sum.cuh"

namespace gpuopt {

// kMost: the most accumulators.
template <class Op, class T, int N, int kMost = 4>
struct Lane;

// Sums of terms: Term is the type in which the terms of one vector are added.
template <class Accumulator, class T, int N, int kMost>
struct SumLane {
  using Term = std::conditional_t<kIsSmallInteger<T>, int32_t, Accumulator>;
  static constexpr int kChains = std::is_integral_v<Accumulator> ? 1 : N < kMost ? N : kMost;
  Accumulator sum[kChains];

  __device__ __forceinline__ SumLane() {
#pragma unroll
    for (int c = 0; c < kChains; ++c) sum[c] = 0;
  }
  template <class F>
  __device__ __forceinline__ void add(F &&term) {
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
      Term of_vector = term(c);
#pragma unroll
      for (int e = c + kChains; e < N; e += kChains) of_vector += term(e);
      sum[c] += static_cast<Accumulator>(of_vector);
    }
  }
  __device__ __forceinline__ Accumulator total() const {
    if constexpr (kChains == 4) return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    if constexpr (kChains == 2) return sum[0] + sum[1];
    return sum[0];
  }
};

// Sums of N 8-bit integers, a word of four of them at a time. They take any number of vectors whose total fits 32 bits:
// 2^31 / 2^16 elements. Such vectors are loaded as words: out of bytes the compiler would put them together one by one.
template <class T, int N>
constexpr bool kIsByWords = kIsSmallInteger<T> && (N % 4 == 0);
template <class Op, class T, int N>
struct LoadedBy {
  static constexpr bool kAdds =
      std::is_same_v<Op, Sum<typename Op::Computed>> || std::is_same_v<Op, Dot<typename Op::Computed>>;
  using type = std::conditional_t<kAdds && kIsByWords<T, N>, Access<sizeof(T) * N>, Pack<T, N>>;
};
// What the Lane of an op absorbs.
template <class Op, class T, int N>
using Loaded = typename LoadedBy<Op, T, N>::type;
__device__ __forceinline__ int32_t dot_of_words(uint32_t a, uint32_t b, int32_t sum, int8_t) {
  return __dp4a(static_cast<int32_t>(a), static_cast<int32_t>(b), sum);
}
__device__ __forceinline__ int32_t dot_of_words(uint32_t a, uint32_t b, int32_t sum, uint8_t) {
  return static_cast<int32_t>(__dp4a(a, b, static_cast<uint32_t>(sum)));
}
// What a word is multiplied by.
template <int kMap, class T>
__device__ __forceinline__ uint32_t factors_of_word(uint32_t word) {
  if constexpr (kMap == kSquare) return word;
  if constexpr (kMap == kMagnitude && std::is_same_v<T, int8_t>)
    return (word >> 7 & 0x01010101u) * 0xfe + 0x01010101u;  // -1 for a negative byte, otherwise 1
  return 0x01010101u;
}

template <class C, class T, int N, int kMost>
struct Lane<Sum<C>, T, N, kMost> {
  using Op = Sum<C>;
  using Line = SumLane<Summand<C>, T, N, kMost>;
  using Term = typename Line::Term;
  Line line;

  template <int kMap, int U>
  __device__ __forceinline__ void absorb_mapped(int count, const Loaded<Op, T, N> (&x)[U]) {
    if constexpr (kIsByWords<T, N>) {
      int32_t sum = 0;
#pragma unroll
      for (int u = 0; u < U; ++u) {
        if (u >= count) continue;
#pragma unroll
        for (int w = 0; w < N / 4; ++w) sum = dot_of_words(x[u].w[w], factors_of_word<kMap, T>(x[u].w[w]), sum, T());
      }
      line.sum[0] += static_cast<Summand<C>>(sum);
    } else {
#pragma unroll
      for (int u = 0; u < U; ++u) {
        if (u >= count) continue;
        Term terms[N];
        to_terms<C>(x[u], terms);
        line.add([&](int e) -> Term {
          const Term t = terms[e];
          if constexpr (kMap == kSquare) return t * t;
          if constexpr (kMap == kMagnitude) {
            if constexpr (std::is_floating_point_v<Term>)
              return fabs(t);
            else if constexpr (!std::is_same_v<T, uint8_t>)
              return x[u].v[e] < 0 ? Term(0) - t : t;
          }
          return t;
        });
      }
    }
  }
  template <int U>
  __device__ __forceinline__ void absorb(const Op &op, int count, const Loaded<Op, T, N> (&x)[U],
                                         const Loaded<Op, T, N> (&)[U], int64_t, int64_t) {
    if (op.state.map == kValue)
      absorb_mapped<kValue>(count, x);
    else if (op.state.map == kSquare)
      absorb_mapped<kSquare>(count, x);
    else
      absorb_mapped<kMagnitude>(count, x);
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &) const { return line.total(); }
};

template <class C, class T, int N, int kMost>
struct Lane<WideSum<C>, T, N, kMost> {
  using Op = WideSum<C>;
  WideInteger sum = {0, 0, 0};

  template <int U>
  __device__ __forceinline__ void absorb(const Op &op, int count, const Pack<T, N> (&x)[U], const Pack<T, N> (&)[U],
                                         int64_t, int64_t) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u >= count) continue;
#pragma unroll
      for (int e = 0; e < N; ++e) sum = sum + op.term(x[u].v[e]);
    }
  }
  __device__ __forceinline__ WideInteger partial(const Op &) const { return sum; }
};

template <class C, class T, int N, int kMost>
struct Lane<Extreme<C>, T, N, kMost> {
  using Op = Extreme<C>;
  static constexpr bool kPairs = kIsPaired<T> && N >= 2;
  static constexpr int kParts = kPairs ? N / 2 : N;  // of a vector
  static constexpr int kChains = kParts < kMost ? kParts : kMost;
  std::conditional_t<kPairs, uint32_t, Ordered<T>> best[kChains];

  __device__ __forceinline__ Lane() {
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
      if constexpr (kPairs)
        best[c] = kLowestPair<T>;
      else
        best[c] = lowest<Ordered<T>>();
    }
  }
  template <int U>
  __device__ __forceinline__ void absorb(const Op &op, int count, const Pack<T, N> (&x)[U], const Pack<T, N> (&)[U],
                                         int64_t, int64_t) {
    const bool keep = op.state.most != 0;
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u >= count) continue;
      if constexpr (kPairs) {
        const auto bits = bits_as<Bits<T, N>>(x[u]);
#pragma unroll
        for (int w = 0; w < kParts; ++w)
          best[w % kChains] = greater_of_pairs<T>(best[w % kChains], bits.w[w] ^ (keep ? 0 : kFlipOfPair));
      } else {
#pragma unroll
        for (int e = 0; e < N; ++e) best[e % kChains] = greater_of(best[e % kChains], ordered<T>(x[u].v[e], keep));
      }
    }
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &op) const {
    auto b = best[0];
    if constexpr (kPairs) {
#pragma unroll
      for (int c = 1; c < kChains; ++c) b = greater_of_pairs<T>(b, best[c]);
      return key_of_ordered<C>(greater_of(value_of_pair<T>(b, 0), value_of_pair<T>(b, 1)), op.state.most);
    } else {
#pragma unroll
      for (int c = 1; c < kChains; ++c) b = greater_of(b, best[c]);
      return key_of_ordered<C>(b, op.state.most);
    }
  }
};

template <class C, class T, int N, int kMost>
struct Lane<Arg<C>, T, N, kMost> {
  using Op = Arg<C>;
  using Index = std::conditional_t<kMost == 1, int32_t, int64_t>;  // kMost 1: short rows
  static constexpr Index kNone = std::numeric_limits<Index>::max();
  Ordered<T> best = lowest<Ordered<T>>();
  Index index = kNone;

  // index of the first element of x[0]; that of x[u + 1] is index_step more.
  template <int U>
  __device__ __forceinline__ void absorb(const Op &op, int count, const Pack<T, N> (&x)[U], const Pack<T, N> (&)[U],
                                         int64_t first, int64_t index_step) {
    if (index == kNone && count > 0) index = static_cast<Index>(first);  // if none is greater than the lowest of all
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u >= count) continue;
      const Ordered<T> most = greatest_of(x[u], op.state.most != 0);
      if (is_above(most, best)) {
        best = most;
        index = static_cast<Index>(first + u * index_step);
      }
    }
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &op) const {
    if (index == kNone) return Op::identity();
    return {key_of_ordered<C>(best, op.state.most), index};
  }
};

// The partial of a whole line whose first element is *line: an Arg's index is still that of a vector. Reads the vector
// again, whose elements end where the line ends at the latest.
template <int N, class Op, class T>
__device__ __forceinline__ typename Op::Partial resolve(const Op &op, typename Op::Partial of_line, const T *line,
                                                        int64_t length) {
  if constexpr (std::is_same_v<Op, Arg<typename Op::Computed>>) {
    constexpr int kAtOnce = N < 4 ? N : 4;
    bool found = of_line.index >= length;
#pragma unroll 1
    for (int from = 0; !found && from < N; from += kAtOnce) {
      const int64_t at = of_line.index + from;
      T x[kAtOnce];
#pragma unroll
      for (int e = 0; e < kAtOnce; ++e) {
        if (at + e < length) x[e] = line[at + e];
      }
#pragma unroll
      for (int e = 0; e < kAtOnce; ++e) {
        if (found || at + e >= length) continue;
        found = to_key(widen<typename Op::Computed>(x[e]), op.state.most) == of_line.key;
        if (found) of_line.index = at + e;
      }
    }
  }
  return of_line;
}

}  // namespace gpuopt
