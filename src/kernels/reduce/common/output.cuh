// Where the results of a reduction go: the out and value vectors, and what is still done to a total on the way.
#pragma once

#include "common/dtypes.cuh"
#include "common/index.cuh"
#include "common/with_dtype.cuh"
#include "reduce/common/ops.cuh"

namespace gpuopt {

enum : int32_t { kAsIs = 0, kMean = 1, kRoot = 2 };

struct ReduceOutput {
  View out, value;    // value.dtype 0: absent
  int64_t count;      // elements behind each result
  int32_t finish;     // kAsIs, kMean or kRoot
  double reciprocal;  // of count
};

// Number is double (results of float data, and means and norms of integers) or int64_t. Out of line, for kernels that
// know x's computing type only.
template <class Number>
__device__ __attribute__((noinline)) void store_number(void *data, int64_t at, int32_t dtype, Number x) {
  const auto store = [&](auto tag) {
    using T = typename decltype(tag)::type;
    static_cast<T *>(data)[at] = narrow<T>(x);
  };
  if constexpr (std::is_same_v<Number, double>) {
    with_float_dtype(dtype, store);
  } else {
    if (dtype == GPUOPT_I64) store(Type<int64_t>{});
    if (dtype == GPUOPT_I32) store(Type<int32_t>{});
    if (dtype == GPUOPT_I8) store(Type<int8_t>{});
    if (dtype == GPUOPT_U8) store(Type<uint8_t>{});
  }
}

// x / count, rounded as a division is (but for results near the ends of the range), without its code.
__device__ __forceinline__ double divided_by_count(double x, const ReduceOutput &output) {
  const double near = x * output.reciprocal;
  const double rest = fma(-near, static_cast<double>(output.count), x);
  return rest == rest ? fma(rest, output.reciprocal, near) : near;
}

// What is left to do to a sum, out of line as well.
template <class Number>
__device__ __attribute__((noinline)) void store_finished(void *data, int64_t at, int32_t dtype, Number sum,
                                                         const ReduceOutput &output) {
  const double x = static_cast<double>(sum);
  store_number(data, at, dtype, output.finish == kMean ? divided_by_count(x, output) : sqrt(x));
}

// Types of 16 bits, in which results are as common as in fp32.
template <class T>
constexpr bool kIsShortFloat = is_16bit_float(dtype_of<T>);

// Result i of matrix p. T is x's type; void where it is not known. The commonest cases are in line: the others would
// only lengthen every kernel's code, which a first launch has to fetch from memory.
template <class T = void, class Op>
__device__ __forceinline__ void write_result(const Op &op, const ReduceOutput &output, int64_t p, int64_t i,
                                             typename Op::Partial total) {
  const int64_t at = output.out.offset(p, i, 0);
  if constexpr (std::is_same_v<Op, Arg<typename Op::Computed>>) {
    static_cast<int64_t *>(output.out.data)[at] = total.index;
    if (output.value.dtype == 0) return;
    const int64_t value_at = output.value.offset(p, i, 0);
    if constexpr (std::is_same_v<T, void>)
      store_number(output.value.data, value_at, output.value.dtype, op.number(total));
    else
      static_cast<T *>(output.value.data)[value_at] = narrow<T>(op.number(total));
  } else if constexpr (kIsWideSum<Op>) {
    store_finished(output.out.data, at, output.out.dtype, op.number(total), output);
  } else {
    if constexpr (std::is_same_v<Op, Sum<typename Op::Computed>>) {
      if (output.finish != kAsIs)
        return store_finished(output.out.data, at, output.out.dtype, op.number(total), output);
    }
    using Number = decltype(op.number(total));
    using Usual = std::conditional_t<std::is_same_v<Number, double>, float, int64_t>;
    if (output.out.dtype == dtype_of<Usual>) {
      static_cast<Usual *>(output.out.data)[at] = narrow<Usual>(op.number(total));
      return;
    }
    if constexpr (kIsShortFloat<T>) {
      if (output.out.dtype == dtype_of<T>) {
        static_cast<T *>(output.out.data)[at] = narrow<T>(op.number(total));
        return;
      }
    }
    store_number(output.out.data, at, output.out.dtype, op.number(total));
  }
}

// A vector of totals of the commonest kind: one behind the other as they are, floats and 64-bit integers, or of x's 16 bits;
// indices of ARGs. data NULL: they are of another.
struct PlainTotals {
  void *data;
  bool as_x;  // of x's type, 16 bits
};
// Number `at` of them. T is x's type, C its computing type.
template <class T, class C, class Op>
__device__ __forceinline__ void write_plain(const Op &op, const PlainTotals &plain, int64_t at,
                                            typename Op::Partial total) {
  if constexpr (std::is_same_v<Op, Arg<typename Op::Computed>>) {
    static_cast<int64_t *>(plain.data)[at] = total.index;
  } else if (kIsShortFloat<T> && plain.as_x) {
    if constexpr (kIsShortFloat<T>) static_cast<T *>(plain.data)[at] = narrow<T>(op.number(total));
  } else {
    static_cast<C *>(plain.data)[at] = narrow<C>(op.number(total));
  }
}

}  // namespace gpuopt
