// The second half of a gemm whose main kernel leaves plain sums in scratch memory: split-K slices, and everything that
// a fast kernel's own store does not do (stages, scales, C or D of another type or layout).
//
// The main kernel writes slice s of sum (i, j) of matrix p to partials[((s * batch + p) * m + i) * n + j];
// finish_gemm() adds the slices in order, s = 0 first, and ends with gemm_epilogue(). So a fast kernel keeps its
// registers for the product, and yet serves every call; bits depend on the number of slices only.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

// Bytes of scratch for this many slices of sums of acc_bytes each.
inline size_t gemm_partials_bytes(const gpuopt_problem &problem, int64_t slices, size_t acc_bytes) {
  return static_cast<size_t>(slices) * static_cast<size_t>(problem.batch) * static_cast<size_t>(problem.m) *
         static_cast<size_t>(problem.n) * acc_bytes;
}

// True when D = alpha * A * B + beta * C is all there is: no stages, no scales, C (where read) of D's type and layout.
// alpha and beta may still be pointers.
inline bool is_plain_gemm(const gpuopt_problem &problem) {
  for (const gpuopt_operand &o : problem.operand) {
    if (o.m.dtype != 0 && o.m.scale != nullptr) return false;
  }
  if (problem.stage_count != 0) return false;
  if ((problem.features & GPUOPT_FEATURE_BETA) == 0) return true;
  const gpuopt_matrix &c = problem.operand[GPUOPT_OPERAND_C].m, &d = problem.operand[GPUOPT_OPERAND_D].m;
  return c.dtype == d.dtype && c.layout == d.layout;
}

// Enqueues D = stages(alpha * (slice 0 + slice 1 + ...) + beta * C). Sums of type float, double or int32_t.
template <class Acc>
gpuopt_status finish_gemm(const gpuopt_problem &problem, const gpuopt_launch *launch, const Acc *partials,
                          int64_t slices);
// For prepare() of a kernel that may call it.
template <class Acc>
gpuopt_status load_finish_gemm(const gpuopt_launch *launch);

// Microseconds that it adds.
double finish_gemm_us(const gpuopt_problem &problem, int64_t slices, size_t acc_bytes);
// The same for those who weigh numbers of slices against each other, on whose choice the order of sums depends: by its
// bytes alone.
double plan_finish_gemm_us(const gpuopt_problem &problem, int64_t slices, size_t acc_bytes);

}  // namespace gpuopt
