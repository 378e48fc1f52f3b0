// Where the results of a reduction go: the out and value vectors, and what is still done to a total on the way.
#ifndef GPUOPT_KERNELS_REDUCE_OUTPUT_CUH
#define GPUOPT_KERNELS_REDUCE_OUTPUT_CUH

#include "common/index.cuh"
#include "ops.cuh"

namespace gpuopt {
namespace reduce {

enum : int32_t { kAsIs = 0, kMean = 1, kRoot = 2 };

struct Output {
  View out, value;  // value.dtype 0: absent
  int64_t count;    // elements behind each result
  int32_t finish;   // kAsIs, kMean or kRoot
};

// Number is double (results of float data, and means and norms of integers) or int64_t. Out of line, since nearly every
// kernel ends with it.
template <class Number>
__device__ __noinline__ void store_number(void *data, int64_t at, int32_t dtype, Number x) {
  const auto store = [&](auto tag) {
    using T = typename decltype(tag)::type;
    static_cast<T *>(data)[at] = narrow<T>(x);
  };
  if constexpr (cuda::std::is_same_v<Number, double>) {
    with_float_dtype(dtype, store);
  } else {
    if (dtype == GPUOPT_I64) store(Type<int64_t>{});
    if (dtype == GPUOPT_I32) store(Type<int32_t>{});
    if (dtype == GPUOPT_I8) store(Type<int8_t>{});
    if (dtype == GPUOPT_U8) store(Type<uint8_t>{});
  }
}

// Result i of matrix p.
template <class Op>
__device__ __forceinline__ void write_result(const Op &op, const Output &output, int64_t p, int64_t i,
                                             typename Op::Partial total) {
  const int64_t at = output.out.offset(p, i, 0);
  if constexpr (cuda::std::is_same_v<Op, Arg<typename Op::Computed>>) {
    static_cast<int64_t *>(output.out.data)[at] = total.index;
    if (output.value.dtype != 0)
      store_number(output.value.data, output.value.offset(p, i, 0), output.value.dtype, op.number(total));
  } else if constexpr (cuda::std::is_same_v<Op, Sum<typename Op::Computed>>) {
    if (output.finish == kAsIs) {
      store_number(output.out.data, at, output.out.dtype, op.number(total));
    } else {
      const double x = static_cast<double>(op.number(total));
      store_number(output.out.data, at, output.out.dtype,
                   output.finish == kMean ? x / static_cast<double>(output.count) : sqrt(x));
    }
  } else {
    store_number(output.out.data, at, output.out.dtype, op.number(total));
  }
}

inline int64_t outputs_per_matrix(const gpuopt_problem &problem) {
  return problem.axis == GPUOPT_EACH_ROW ? problem.m : problem.axis == GPUOPT_EACH_COL ? problem.n : 1;
}

inline Output make_output(const gpuopt_problem &problem) {
  const bool root = problem.variant == GPUOPT_REDUCE_NRM2, mean = problem.variant == GPUOPT_REDUCE_MEAN;
  const int64_t count = problem.axis == GPUOPT_EACH_ROW   ? problem.n
                        : problem.axis == GPUOPT_EACH_COL ? problem.m
                                                          : problem.m * problem.n;
  return {per_row_view(problem.operand[GPUOPT_OPERAND_OUT]), per_row_view(problem.operand[GPUOPT_OPERAND_VALUE]), count,
          mean   ? kMean
          : root ? kRoot
                 : kAsIs};
}

}  // namespace reduce
}  // namespace gpuopt

#endif
