// From a problem to the kernel of its choice, and the commonest ones, which have kernels of their own.
#pragma once

#include "common/with_constant.h"
#include "reduce/common/dispatch.cuh"
#include "reduce/common/problem.h"

namespace gpuopt {

inline int choice_of(const gpuopt_problem &problem) {
  const int op = op_of(problem), map = state_of(problem.variant).map;
  return op != kSum || map == kValue ? op : map == kSquare ? kSumOfSquares : kSumOfMagnitudes;
}

// f(Choice<dtype, op>{})
template <class F>
gpuopt_status with_choice(const gpuopt_problem &problem, F &&f) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  if (is_wide_sum(problem)) return with_wide_choice(dtype, f);
  return with_constant<kSumOfSquares, kSumOfMagnitudes, kDot, kProduct, kExtreme, kArg, kSum>(
      choice_of(problem), [&](auto op) { return with_dtype_choice<decltype(op)::value>(dtype, f); });
}

// The commonest sums have kernels of their own where nothing else is special. f(Choice<dtype, kSum>{})
constexpr bool is_common_sum(int dtype, int choice) { return choice == kSum && is_common_float(dtype); }
template <class F>
gpuopt_status with_common_sum(int32_t dtype, F &&f) {
  return with_constant<GPUOPT_F32, GPUOPT_F16, GPUOPT_BF16>(
      dtype, [&](auto known) { return f(Choice<decltype(known)::value, kSum>{}); });
}

// Whether totals are of x's 16 bits.
inline bool is_as_x(const gpuopt_problem &problem) {
  const int32_t x = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  return is_16bit_float(x) && problem.operand[GPUOPT_OPERAND_OUT].m.dtype == x;
}
// Whether totals go out as they are: in the usual type or x's, without a finish or a value beside.
inline bool has_plain_totals(const gpuopt_problem &problem, const ReduceOutput &output) {
  const bool arg = op_of(problem) == kArg;
  const int32_t usual =
      arg ? static_cast<int32_t>(GPUOPT_I64) : computed_dtype(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  return output.finish == kAsIs && (output.out.dtype == usual || (!arg && is_as_x(problem))) && output.value.dtype == 0;
}
// Whether write_plain() may write the results: plain totals, one after the other.
inline bool is_plain(const gpuopt_problem &problem) {
  const gpuopt_matrix &out = problem.operand[GPUOPT_OPERAND_OUT].m;
  const bool one_line = out.ld == 1 && (problem.batch == 1 || out.batch_stride == outputs_per_matrix(problem));
  return one_line && has_plain_totals(problem, reduce_output(problem));
}

// Where it may, or nowhere.
inline PlainTotals plain_output(const gpuopt_problem &problem) {
  return {is_plain(problem) ? problem.operand[GPUOPT_OPERAND_OUT].m.data : nullptr, is_as_x(problem)};
}

// The resources of a kernel template <dtype, op> of `threads` threads for all types.
#define GPUOPT_REDUCE_RESOURCE_(kernel, threads, dtype, op) \
  { threads, 0, reinterpret_cast<const void *>(kernel<dtype, op>) }
#define GPUOPT_REDUCE_RESOURCES_OF_OP_(kernel, threads, op)                                             \
  GPUOPT_REDUCE_RESOURCE_(kernel, threads, 1, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 2, op),     \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 3, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 4, op), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 5, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 6, op), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 7, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 8, op), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, 9, op), GPUOPT_REDUCE_RESOURCE_(kernel, threads, 10, op)

#define GPUOPT_REDUCE_WIDE_RESOURCES(kernel, threads)             \
  GPUOPT_REDUCE_RESOURCE_(kernel, threads, GPUOPT_I32, kWideSum), \
      GPUOPT_REDUCE_RESOURCE_(kernel, threads, GPUOPT_I64, kWideSum)

}  // namespace gpuopt
