// How long cuBLASLt's first choice, and so cuBLAS, takes.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

double cublas_gemm_us(const gpuopt_problem &problem);

}  // namespace gpuopt
