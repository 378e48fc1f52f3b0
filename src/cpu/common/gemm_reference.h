/* The reference product: rows of D = stages(alpha * A * B + beta * C) in double, rounded once. */
#pragma once

#include "reference_kernel.h"

namespace gpuopt {
namespace cpu {

/* Every row of the table of types. */
constexpr gpuopt_signature kGemmSignatures[] = {
#define GPUOPT_X_(a, b, c, d, compute) {{GPUOPT_##a, GPUOPT_##b, GPUOPT_##c, GPUOPT_##d}, GPUOPT_COMPUTE_##compute},
    GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};

/* Rows [first, end) of matrix p of D. */
void reference_gemm_rows(const gpuopt_problem &problem, int64_t p, int64_t first, int64_t end);

/* Predicted time, where D has that many rows in all its matrices: 0.5 GFLOP/s. */
static inline double reference_gemm_us(const gpuopt_problem &problem, double rows) {
  return reference_us(2.0 * rows * double(problem.n) * double(problem.k), 500);
}

}  // namespace cpu
}  // namespace gpuopt
