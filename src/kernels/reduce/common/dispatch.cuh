// From a problem to the template arguments of its kernels.
#pragma once

#include "common/with_constant.h"
#include "reduce/common/ops.cuh"

namespace gpuopt {

// Ops as kernels are compiled for them: those of ops.cuh, and sums of squares and of magnitudes as ops of their own, so
// that the commonest loop, of plain sums, is not among code that it never runs.
enum : int { kSumOfSquares = 5, kSumOfMagnitudes = 6 };
template <int kOp, int kDtype>
using OpOfChoice =
    OpFor<(kOp == kSumOfSquares || kOp == kSumOfMagnitudes ? static_cast<int>(kSum) : kOp), kDtype>;
template <int kOp>
__device__ __forceinline__ OpState state_of_choice(OpState state) {
  if (kOp == kWideSum) return state;
  state.map = kOp == kSumOfSquares ? kSquare : kOp == kSumOfMagnitudes ? kMagnitude : kValue;
  return state;
}
inline int choice_of(const gpuopt_problem &problem) {
  const int op = op_of(problem), map = state_of(problem.variant).map;
  return op != kSum || map == kValue ? op : map == kSquare ? kSumOfSquares : kSumOfMagnitudes;
}

template <int kDtypeValue, int kOpValue>
struct Choice {
  static constexpr int kDtype = kDtypeValue, kOp = kOpValue;
  // Those of the kernels that combine partials, or take every map: DOT's partials are sums.
  static constexpr int kComputed = computed_dtype(kDtypeValue);
  static constexpr bool kIsMapped = kOpValue == kSumOfSquares || kOpValue == kSumOfMagnitudes;
  static constexpr int kAnyOp = kIsMapped ? static_cast<int>(kSum) : kOpValue,
                       kSecondOp = kAnyOp == kDot ? static_cast<int>(kSum) : kAnyOp;
};

template <int kOp, class F>
gpuopt_status with_dtype_choice(int32_t dtype, F &&f) {
  switch (dtype) {
#define GPUOPT_X_(name, value, bytes, text, cls, what) \
  case value:                                          \
    if constexpr (value != GPUOPT_B128) return f(Choice<value, kOp>{});
    GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
    default:
      return GPUOPT_INTERNAL;
  }
}

// Wide sums are those of i32 and i64. f(Choice<dtype, kWideSum>{})
template <class F>
gpuopt_status with_wide_choice(int32_t dtype, F &&f) {
  return dtype == GPUOPT_I32 ? f(Choice<GPUOPT_I32, kWideSum>{}) : f(Choice<GPUOPT_I64, kWideSum>{});
}

// The commonest sums have kernels of their own where nothing else is special. f(Choice<dtype, kSum>{})
constexpr bool is_common_sum(int dtype, int choice) {
  return choice == kSum && (dtype == GPUOPT_F32 || dtype == GPUOPT_F16 || dtype == GPUOPT_BF16);
}
template <class F>
gpuopt_status with_common_sum(int32_t dtype, F &&f) {
  return with_constant<GPUOPT_F32, GPUOPT_F16, GPUOPT_BF16>(
      dtype, [&](auto known) { return f(Choice<decltype(known)::value, kSum>{}); });
}

// X(dtype, op) for all types.
#define GPUOPT_REDUCE_DTYPES(X, op) \
  X(1, op) X(2, op) X(3, op) X(4, op) X(5, op) X(6, op) X(7, op) X(8, op) X(9, op) X(10, op)

// X(dtype, op) for the types of wide sums.
#define GPUOPT_REDUCE_WIDE(X) X(GPUOPT_I32, kWideSum) X(GPUOPT_I64, kWideSum)

// The resources of a kernel template <dtype, op> of `threads` threads for all types.
#define GPUOPT_REDUCE_RESOURCE_(kernel, threads, dtype, op) \
  { threads, 0, reinterpret_cast<const void *>(kernel<dtype, op>) }
#define GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, op)                                             \
  GPUOPT_REDUCE_RESOURCE_(kernel, threads, 1, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 2, op),     \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 3, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 4, op), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 5, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 6, op), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 7, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 8, op), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 9, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 10, op)

#define GPUOPT_REDUCE_WIDE_RESOURCES(kernel, threads)                  \
  GPUOPT_REDUCE_RESOURCE_(kernel, threads, GPUOPT_I32, kWideSum),      \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, GPUOPT_I64, kWideSum)

inline size_t partial_bytes(int op, int32_t dtype) {
  const size_t computed = computed_dtype(dtype) == GPUOPT_F32 ? 4 : 8;
  return op == kWideSum ? sizeof(WideInteger) : op == kArg ? 16 : computed;
}

}  // namespace gpuopt
