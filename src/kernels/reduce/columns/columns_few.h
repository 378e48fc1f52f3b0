// How columns of few rows are launched (columns_few.cuh).
#pragma once

#include "common/dependent_launch.cuh"
#include "reduce/columns/columns_plan.h"

namespace gpuopt {

using FewRowsKernel = void (*)(FewRows);

// Whether there are few, of the commonest kind.
inline bool is_few_rows(const gpuopt_problem &problem) {
  const int choice = choice_of(problem);
  return problem.m > 0 && problem.m <= kFewRows && problem.batch == 1 && (choice == kSum || choice == kExtreme) &&
         is_common_float(problem.operand[GPUOPT_OPERAND_X].m.dtype) && is_plain(problem) &&
         problem.n < kSmallEnd * kWarp;
}

// Columns of a lane, threads of a block, blocks; and the kernel, by a warp a row or a thread all of its columns'.
struct FewRowsPlan {
  int64_t columns, threads, blocks;
  FewRowsKernel kernel;
};
template <int kDtype, int kOp, bool kPieces>
FewRowsKernel few_rows_kernel(bool one, bool by_warps) {
  return one        ? reduce_few_rows<kDtype, kOp, kPieces, 1>
         : by_warps ? reduce_rows_by_warps<kDtype, kOp, kPieces>
                    : reduce_few_rows<kDtype, kOp, kPieces, kFewRows>;
}
inline FewRowsPlan few_rows_plan(const gpuopt_problem &problem) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  const int64_t of_piece = columns_of_thread(dtype_bytes(dtype)), sms = problem.device->sm_count;
  const bool pieces = row_alignment(problem, GPUOPT_OPERAND_X) >= 16 &&
                      problem.operand[GPUOPT_OPERAND_OUT].align >= 16 && problem.n % of_piece == 0;
  FewRowsPlan plan = {pieces ? of_piece : 1, kFewRowThreads, 0, nullptr};
  const int64_t lanes = ceil_div(problem.n, plan.columns);
  const int64_t resident = problem.device->max_threads_per_sm / (kWarp * kFewRows);
  const bool one = problem.m == 1, by_warps = !one && ceil_div(lanes, kWarp) <= sms * resident;
  // Small blocks where there would not be one for every multiprocessor.
  while (plan.threads > kWarp && ceil_div(lanes, plan.threads) < sms) plan.threads /= 2;
  plan.blocks = ceil_div(lanes, by_warps ? kWarp : plan.threads);
  if (by_warps) plan.threads = problem.m * kWarp;
  with_constant<kSum, kExtreme>(choice_of(problem), [&](auto op) {
    return with_constant<GPUOPT_F32, GPUOPT_F16, GPUOPT_BF16>(dtype, [&](auto of) {
      constexpr int kOp = decltype(op)::value, kDtype = decltype(of)::value;
      plan.kernel = pieces ? few_rows_kernel<kDtype, kOp, true>(one, by_warps)
                           : few_rows_kernel<kDtype, kOp, false>(one, by_warps);
      return GPUOPT_OK;
    });
  });
  return plan;
}
inline gpuopt_status launch_few_rows(const gpuopt_problem &problem, const gpuopt_launch *launch, const char *name) {
  const gpuopt_matrix &x = problem.operand[GPUOPT_OPERAND_X].m;
  const FewRowsPlan plan = few_rows_plan(problem);
  const FewRows walk = {
      x.data, x.ld, problem.n, plain_output(problem), static_cast<int32_t>(problem.m), state_of(problem.variant).most};
  return launch_kernel(early_launch(problem), launch, name, dim3(static_cast<unsigned>(plan.blocks)),
                       dim3(static_cast<unsigned>(plan.threads)), 0, plan.kernel, walk);
}

#define GPUOPT_FEW_ROWS_RESOURCE_(threads, kernel) \
  { threads, 0, reinterpret_cast<const void *>(kernel) }
#define GPUOPT_FEW_ROWS_RESOURCES_OF_(dtype, op, pieces)                                         \
  GPUOPT_FEW_ROWS_RESOURCE_(kFewRowThreads, (reduce_few_rows<dtype, op, pieces, 1>)),            \
      GPUOPT_FEW_ROWS_RESOURCE_(kFewRowThreads, (reduce_few_rows<dtype, op, pieces, kFewRows>)), \
      GPUOPT_FEW_ROWS_RESOURCE_(kFewRows *kWarp, (reduce_rows_by_warps<dtype, op, pieces>))
#define GPUOPT_FEW_ROWS_RESOURCES(dtype)                                                               \
  GPUOPT_FEW_ROWS_RESOURCES_OF_(dtype, kSum, true), GPUOPT_FEW_ROWS_RESOURCES_OF_(dtype, kSum, false), \
      GPUOPT_FEW_ROWS_RESOURCES_OF_(dtype, kExtreme, true), GPUOPT_FEW_ROWS_RESOURCES_OF_(dtype, kExtreme, false)

}  // namespace gpuopt
