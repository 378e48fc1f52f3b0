// Classic cuBLAS (cublasSgemm, cublasDgemm, cublasGemmEx) as a peer: one call, its own choice of algorithm, 64 MiB of
// workspace.
#pragma once
#include "../core/timing.h"
#include "gemm_problem.h"

namespace gpuopt_bench {

// On operands 0 (A), 1 (B), 2 (D) of the sets. Throws Refused for what cuBLAS has no call for (fp8).
Contender cublas_contender(const GemmProblem &problem, const OperandSets &sets, cudaStream_t stream);

}  // namespace gpuopt_bench
