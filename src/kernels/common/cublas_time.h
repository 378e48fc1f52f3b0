// How long cuBLASLt's first choice, and so cuBLAS, takes.
#ifndef GPUOPT_KERNELS_COMMON_CUBLAS_TIME_H
#define GPUOPT_KERNELS_COMMON_CUBLAS_TIME_H

#include "gpuopt/kernel.h"

namespace gpuopt {

double cublas_gemm_us(const gpuopt_problem &problem);

}  // namespace gpuopt

#endif
