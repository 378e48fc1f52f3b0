// Cases of the suites for other suites: a suite's own name for the rows, and the problem as --shape takes it. Each throws
// BadShape; none touches a device.
#pragma once
#include <string>

#include "suite.h"

namespace gpuopt_bench {

// Of a problem with its suite before it: "gemm 64x64x64:f32".
Plan plan_problem(const std::string &suite, const std::string &problem);
Plan plan_gemm(const std::string &suite, const std::string &shape);
Plan plan_transpose(const std::string &suite, const std::string &shape);
Plan plan_reduce(const std::string &suite, const std::string &shape);
Plan plan_reduce_sizes(const std::string &suite,
                       const std::string &shape);  // against CUB alone, without the read ceiling
Plan plan_fused_act(const std::string &suite, const std::string &shape);
// The same with one stage alone, over the same operands, as a reference of this name.
Plan plan_fused_act_beside(const std::string &suite, const std::string &shape, const std::string &one_stage);
Plan plan_norm(const std::string &suite, const std::string &shape);

// The part of fused_table in which all operands are of one type and lie in one way: "aligned:bf16".
struct FusedCells {
  int types = -1, lie = -1;
};
FusedCells read_fused_cells(const std::string &text);
// Every chain of it, its rows under this suite and problem. Measures at once: it has a procedure of its own.
void run_fused_cells(Context &context, const std::string &suite, const std::string &problem, const FusedCells &cells);

}  // namespace gpuopt_bench
