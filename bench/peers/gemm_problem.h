// What the gemm peers are asked to do.
#pragma once
#include <library_types.h>

#include <cstdint>

#include "gemm_end.h"

namespace gpuopt_bench {

// D = A * B. Row-major, or, where the flag says so, the transposed view of a row-major matrix.
struct GemmProblem {
  int64_t m, n, k;
  int32_t type, b_type, d_type;  // of A, B, D
  int32_t compute;               // GPUOPT_COMPUTE_*, not DEFAULT
  bool a_transposed, b_transposed;
  GemmEnd end = GemmEnd::none;
};

cudaDataType_t data_type(int32_t type);  // throws Refused for what cuBLAS has no name for

}  // namespace gpuopt_bench
