// How long cuBLASLt's first choice, and so cuBLAS, takes.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

// to_sums: D is plain sums in scratch memory, fp64 or fp32, and C is not read.
double cublas_gemm_us(const gpuopt_problem &problem, bool to_sums);

}  // namespace gpuopt
