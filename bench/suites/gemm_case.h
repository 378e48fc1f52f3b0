// A gemm problem from its row of data: types, operands, our calls and the peer's.
#pragma once
#include "../peers/gemm_problem.h"
#include "suite.h"

namespace gpuopt_bench {

struct GemmShape {
  int64_t m, n, k;
  gpuopt_dtype type, d_type;
  int32_t compute;
  const char *layout;  // "nn", "nt", "tn", "tt": t is the transposed view of a row-major matrix
  bool quick;
};

// "MxNxK[:in[:out[:compute[:layout]]]]"; throws BadShape.
GemmShape read_gemm_shape(const std::string &text);
GemmProblem problem_of(const GemmShape &shape);
// Names and work; no memory.
Case gemm_case(const char *suite, const GemmShape &shape);
// Our kernels, the peers and the unit's limit on this shape, in a suite of this name.
void run_gemm_case(Context &context, const char *suite, const GemmShape &shape);
// Allocates A, B, D as operands 0, 1, 2 of enough sets; returns our calls on them.
LibraryCall gemm_operands(Context &context, const GemmShape &shape, Case *c);

}  // namespace gpuopt_bench
