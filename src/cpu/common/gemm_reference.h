/* The reference product: rows of D = stages(alpha * A * B + beta * C) in double, rounded once. */
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {

/* Rows [first, end) of matrix p of D. */
void reference_gemm_rows(const gpuopt_problem &problem, int64_t p, int64_t first, int64_t end);

}  // namespace cpu
}  // namespace gpuopt
