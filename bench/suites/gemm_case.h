// A gemm problem from its row of data: types, operands, our calls and the peer's.
#pragma once
#include "../peers/gemm_problem.h"
#include "problems.h"
#include "suite.h"

namespace gpuopt_bench {

GemmProblem problem_of(const GemmShape &shape);
// Names and work; no memory.
Case gemm_case(const std::string &suite, const GemmShape &shape);
// Our kernels, the peers and the unit's limit on this shape, in a suite of this name.
Plan plan_gemm(const std::string &suite, const GemmShape &shape);
// Allocates A, B, D as operands 0, 1, 2 of enough sets; returns our calls on them.
LibraryCall gemm_operands(Context &context, const GemmShape &shape, Case *c);

}  // namespace gpuopt_bench
