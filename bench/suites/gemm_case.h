// A gemm problem from its row of data: types, operands, our calls and the peer's.
#pragma once
#include "../peers/cublaslt.h"
#include "suite.h"

namespace gpuopt_bench {

struct GemmShape {
  int64_t m, n, k;
  gpuopt_dtype type, d_type;
  int32_t compute;
  const char *layout;  // "nn", "nt", "tn", "tt": t is the transposed view of a row-major matrix
  bool quick;
};

GemmProblem problem_of(const GemmShape &shape);
// Names and work; no memory.
Case gemm_case(const char *suite, const GemmShape &shape);
// Allocates A, B, D as operands 0, 1, 2 of enough sets; returns our calls on them.
LibraryCall gemm_operands(Context &context, const GemmShape &shape, Case *c);

}  // namespace gpuopt_bench
