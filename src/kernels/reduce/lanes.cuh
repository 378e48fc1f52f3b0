// What one thread of a fast reduction keeps in registers while it reads: a Lane. It absorbs vectors of N neighbouring
// elements (16 bytes of them, or a single one) and yields the op's Partial (ops.cuh) at the end.
//
//   Sum, Dot, Product   up to four independent accumulators, so that additions of neighbours do not wait for each
//                       other; the elements that share an accumulator are combined within a vector first. 8-bit
//                       integers are summed in 32 bits within a vector.
//   Extreme             a running maximum in the elements' own order, with one instruction an element where the
//                       hardware has a maximum that propagates NaN; minima are maxima of sign-flipped values.
//   Arg                 the extreme of each vector, and of the vectors the first that has it: one comparison a vector.
//                       Its index is the vector's; resolve() finds the element by reading that vector again, once.
#ifndef GPUOPT_KERNELS_REDUCE_LANES_CUH
#define GPUOPT_KERNELS_REDUCE_LANES_CUH

#include "ops.cuh"

namespace gpuopt {
namespace reduce {

template <class T>
constexpr int kVector = 16 / static_cast<int>(sizeof(T));  // elements of a 16-byte access

template <class T>
constexpr bool kIsSmallInteger = cuda::std::is_same_v<T, int8_t> || cuda::std::is_same_v<T, uint8_t>;

template <class Op, class T, int N>
struct Lane;

// Sums of terms: Term is the type in which the terms of one vector are added.
template <class Accumulator, class T, int N>
struct SumLane {
  using Term = cuda::std::conditional_t<kIsSmallInteger<T>, int32_t, Accumulator>;
  static constexpr int kChains = cuda::std::is_integral_v<Accumulator> ? 1 : N < 4 ? N : 4;
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

template <class Term, class T, class C>
__device__ __forceinline__ Term to_term(T x) {
  if constexpr (cuda::std::is_integral_v<T>)
    return static_cast<Term>(x);  // also from a negative number to an unsigned one
  else
    return widen<C>(x);
}

template <class C, class T, int N>
struct Lane<Sum<C>, T, N> {
  using Op = Sum<C>;
  using Line = SumLane<Summand<C>, T, N>;
  using Term = typename Line::Term;
  Line line;

  template <int kMap, int U>
  __device__ __forceinline__ void absorb_mapped(int count, const Pack<T, N> (&x)[U]) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u >= count) continue;
      line.add([&](int e) -> Term {
        const Term t = to_term<Term, T, C>(x[u].v[e]);
        if constexpr (kMap == kSquare) return t * t;
        if constexpr (kMap == kMagnitude) {
          if constexpr (cuda::std::is_floating_point_v<Term>)
            return fabs(t);
          else if constexpr (!cuda::std::is_same_v<T, uint8_t>)
            return x[u].v[e] < 0 ? Term(0) - t : t;
        }
        return t;
      });
    }
  }
  template <int U>
  __device__ __forceinline__ void absorb(const Op &op, int count, const Pack<T, N> (&x)[U], const Pack<T, N> (&)[U],
                                         int64_t, int64_t) {
    if (op.state.map == kValue)
      absorb_mapped<kValue>(count, x);
    else if (op.state.map == kSquare)
      absorb_mapped<kSquare>(count, x);
    else
      absorb_mapped<kMagnitude>(count, x);
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &) const { return line.total(); }
};

template <class C, class T, int N>
struct Lane<Dot<C>, T, N> {
  using Op = Dot<C>;
  using Line = SumLane<Summand<C>, T, N>;
  using Term = typename Line::Term;
  Line line;

  template <int U>
  __device__ __forceinline__ void absorb(const Op &, int count, const Pack<T, N> (&x)[U], const Pack<T, N> (&y)[U],
                                         int64_t, int64_t) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u >= count) continue;
      line.add([&](int e) { return to_term<Term, T, C>(x[u].v[e]) * to_term<Term, T, C>(y[u].v[e]); });
    }
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &) const { return line.total(); }
};

template <class C, class T, int N>
struct Lane<Product<C>, T, N> {
  using Op = Product<C>;
  using Factor = Summand<C>;
  static constexpr int kChains = N < 4 ? N : 4;
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
#pragma unroll
      for (int e = 0; e < N; ++e) product[e % kChains] *= to_term<Factor, T, C>(x[u].v[e]);
    }
  }
  __device__ __forceinline__ Factor partial(const Op &) const {
    Factor p = product[0];
#pragma unroll
    for (int c = 1; c < kChains; ++c) p *= product[c];
    return p;
  }
};

// Values in the order in which the sought extreme is the greatest: Ordered<T> is float, double, int32_t or int64_t.
template <class T>
using Ordered =
    cuda::std::conditional_t<cuda::std::is_integral_v<T>, cuda::std::conditional_t<sizeof(T) == 8, int64_t, int32_t>,
                             typename TypesOf<dtype_of<T>>::Computed>;

__device__ __forceinline__ float flip(float x, bool keep) {
  return __uint_as_float(__float_as_uint(x) ^ (keep ? 0u : 0x80000000u));
}
__device__ __forceinline__ double flip(double x, bool keep) {
  return __hiloint2double(__double2hiint(x) ^ (keep ? 0 : static_cast<int>(0x80000000)), __double2loint(x));
}
__device__ __forceinline__ int32_t flip(int32_t x, bool keep) { return x ^ (keep ? 0 : -1); }
__device__ __forceinline__ int64_t flip(int64_t x, bool keep) { return x ^ (keep ? 0 : -1); }

// The greater; NaN when either is.
template <class A>
__device__ __forceinline__ A greater(A a, A b) {
  if constexpr (cuda::std::is_integral_v<A>) {
    return b > a ? b : a;
  } else {
#if __CUDA_ARCH__ >= 800
    if constexpr (cuda::std::is_same_v<A, float>) {
      float r;
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
      return r;
    }
#endif
    return b > a || b != b ? b : a;
  }
}
template <class A>
__device__ __forceinline__ A lowest() {
  if constexpr (cuda::std::is_integral_v<A>)
    return cuda::std::numeric_limits<A>::min();
  else
    return -cuda::std::numeric_limits<A>::infinity();
}
template <class T>
__device__ __forceinline__ Ordered<T> ordered(T x, bool keep) {
  return flip(static_cast<Ordered<T>>(widen<typename TypesOf<dtype_of<T>>::Computed>(x)), keep);
}

template <class C, class T, int N>
struct Lane<Extreme<C>, T, N> {
  using Op = Extreme<C>;
  static constexpr int kChains = N < 4 ? N : 4;
  Ordered<T> best[kChains];

  __device__ __forceinline__ Lane() {
#pragma unroll
    for (int c = 0; c < kChains; ++c) best[c] = lowest<Ordered<T>>();
  }
  template <int U>
  __device__ __forceinline__ void absorb(const Op &op, int count, const Pack<T, N> (&x)[U], const Pack<T, N> (&)[U],
                                         int64_t, int64_t) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u >= count) continue;
#pragma unroll
      for (int e = 0; e < N; ++e)
        best[e % kChains] = greater(best[e % kChains], ordered<T>(x[u].v[e], op.state.most != 0));
    }
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &op) const {
    Ordered<T> b = best[0];
#pragma unroll
    for (int c = 1; c < kChains; ++c) b = greater(b, best[c]);
    return to_key(static_cast<C>(flip(b, op.state.most != 0)), op.state.most);
  }
};

template <class C, class T, int N>
struct Lane<Arg<C>, T, N> {
  using Op = Arg<C>;
  typename Op::Partial best = Op::identity();

  // index of the first element of x[0]; that of x[u + 1] is index_step more.
  template <int U>
  __device__ __forceinline__ void absorb(const Op &op, int count, const Pack<T, N> (&x)[U], const Pack<T, N> (&)[U],
                                         int64_t index, int64_t index_step) {
    const bool keep = op.state.most != 0;
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u >= count) continue;
      Ordered<T> most = ordered<T>(x[u].v[0], keep);
#pragma unroll
      for (int e = 1; e < N; ++e) most = greater(most, ordered<T>(x[u].v[e], keep));
      const auto key = to_key(static_cast<C>(flip(most, keep)), op.state.most);
      if (key < best.key) best = {key, index + u * index_step};
    }
  }
  __device__ __forceinline__ typename Op::Partial partial(const Op &) const { return best; }
};

// The partial of a whole line whose first element is *line: an Arg's index is still that of a vector. Reads the vector
// again, whose elements end where the line ends at the latest.
template <int N, class Op, class T>
__device__ __forceinline__ typename Op::Partial resolve(const Op &op, typename Op::Partial of_line, const T *line,
                                                        int64_t length) {
  if constexpr (cuda::std::is_same_v<Op, Arg<typename Op::Computed>>) {
#pragma unroll 1
    for (int e = 0; e < N && of_line.index + e < length; ++e) {
      if (to_key(widen<typename Op::Computed>(line[of_line.index + e]), op.state.most) == of_line.key) {
        of_line.index += e;
        break;
      }
    }
  }
  return of_line;
}

}  // namespace reduce
}  // namespace gpuopt

#endif
