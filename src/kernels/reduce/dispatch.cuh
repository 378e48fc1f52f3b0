// From a problem to the template arguments of its kernels.
#ifndef GPUOPT_KERNELS_REDUCE_DISPATCH_CUH
#define GPUOPT_KERNELS_REDUCE_DISPATCH_CUH

#include "ops.cuh"

namespace gpuopt {
namespace reduce {

// Ops as kernels are compiled for them: those of ops.cuh, and sums of squares and of magnitudes as ops of their own, so
// that the commonest loop, of plain sums, is not among code that it never runs.
enum : int { kSumOfSquares = 5, kSumOfMagnitudes = 6 };
template <int kOp, int kDtype>
using OpOfChoice = OpFor<(kOp < 5 ? kOp : static_cast<int>(kSum)), kDtype>;
template <int kOp>
__device__ __forceinline__ OpState state_of_choice(OpState state) {
  state.map = kOp == kSumOfSquares ? kSquare : kOp == kSumOfMagnitudes ? kMagnitude : kValue;
  return state;
}
inline int choice_of(int32_t variant) {
  const int op = op_of(variant), map = state_of(variant).map;
  return op != kSum || map == kValue ? op : map == kSquare ? kSumOfSquares : kSumOfMagnitudes;
}

template <int kDtypeValue, int kOpValue>
struct Choice {
  static constexpr int kDtype = kDtypeValue, kOp = kOpValue;
  // Those of the kernels that combine partials: DOT's are sums.
  static constexpr int kComputed = computed_dtype(kDtypeValue),
                       kSecondOp = kOpValue == kDot || kOpValue > 4 ? static_cast<int>(kSum) : kOpValue;
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

// f(Choice<dtype, op>{})
template <class F>
gpuopt_status with_choice(const gpuopt_problem &problem, F &&f) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  switch (choice_of(problem.variant)) {
    case kSumOfSquares:
      return with_dtype_choice<kSumOfSquares>(dtype, f);
    case kSumOfMagnitudes:
      return with_dtype_choice<kSumOfMagnitudes>(dtype, f);
    case kDot:
      return with_dtype_choice<kDot>(dtype, f);
    case kProduct:
      return with_dtype_choice<kProduct>(dtype, f);
    case kExtreme:
      return with_dtype_choice<kExtreme>(dtype, f);
    case kArg:
      return with_dtype_choice<kArg>(dtype, f);
    default:
      return with_dtype_choice<kSum>(dtype, f);
  }
}

// The resources of a kernel template <dtype, op> of `threads` threads for all types and ops.
#define GPUOPT_REDUCE_RESOURCE_(kernel, threads, dtype, op) \
  { threads, 0, reinterpret_cast<const void *>(kernel<dtype, op>) }
#define GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, op)                                             \
  GPUOPT_REDUCE_RESOURCE_(kernel, threads, 1, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 2, op),     \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 3, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 4, op), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 5, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 6, op), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 7, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 8, op), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 9, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 10, op)
#define GPUOPT_REDUCE_RESOURCES(kernel, threads)                                                              \
  GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 0), GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 1),     \
      GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 2), GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 3), \
      GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 4), GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 5), \
      GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, 6)
// Likewise of one that combines partials.
#define GPUOPT_REDUCE_SECOND_RESOURCES_OF_OP_(kernel, threads, op)                                  \
  GPUOPT_REDUCE_RESOURCE_(kernel, threads, 1, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 2, op), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 10, op)
#define GPUOPT_REDUCE_SECOND_RESOURCES(kernel, threads)          \
  GPUOPT_REDUCE_SECOND_RESOURCES_OF_OP_(kernel, threads, 0),     \
      GPUOPT_REDUCE_SECOND_RESOURCES_OF_OP_(kernel, threads, 2), \
      GPUOPT_REDUCE_SECOND_RESOURCES_OF_OP_(kernel, threads, 3), \
      GPUOPT_REDUCE_SECOND_RESOURCES_OF_OP_(kernel, threads, 4)

inline size_t partial_bytes(int op, int32_t dtype) {
  const size_t computed = computed_dtype(dtype) == GPUOPT_F32 ? 4 : 8;
  return op == kArg ? 16 : computed;
}

}  // namespace reduce
}  // namespace gpuopt

#endif
