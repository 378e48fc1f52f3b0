// From a problem to the template arguments of its kernels.
#pragma once

#include "reduce/common/ops.cuh"

namespace gpuopt {

// Ops as kernels are compiled for them: those of ops.cuh, and sums of squares and of magnitudes as ops of their own, so
// that the commonest loop, of plain sums, is not among code that it never runs.
enum : int { kSumOfSquares = 5, kSumOfMagnitudes = 6 };
template <int kOp, int kDtype>
using OpOfChoice = OpFor<(kOp == kSumOfSquares || kOp == kSumOfMagnitudes ? static_cast<int>(kSum) : kOp), kDtype>;
template <int kOp>
__device__ __forceinline__ OpState state_of_choice(OpState state) {
  if (kOp == kWideSum) return state;
  state.map = kOp == kSumOfSquares ? kSquare : kOp == kSumOfMagnitudes ? kMagnitude : kValue;
  return state;
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

// X(dtype, op) for all types.
#define GPUOPT_REDUCE_DTYPES(X, op) \
  X(1, op) X(2, op) X(3, op) X(4, op) X(5, op) X(6, op) X(7, op) X(8, op) X(9, op) X(10, op)

// X(dtype, op) for the types of wide sums.
#define GPUOPT_REDUCE_WIDE(X) X(GPUOPT_I32, kWideSum) X(GPUOPT_I64, kWideSum)

}  // namespace gpuopt
