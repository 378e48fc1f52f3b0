// The peers of a gemm: classic cuBLAS, and cuBLASLt called directly: its heuristic's first algorithm, and the best of its
// first 16, found by timing them. The two fastest of the 16 stay contenders, so that the best of each mode is among them.
#pragma once
#include "gemm_case.h"

namespace gpuopt_bench {

// Adds them to a case whose operands are there, and sets its ceiling to the arithmetic units' limit.
void add_gemm_peers(Context &context, const GemmShape &shape, Case *c);

}  // namespace gpuopt_bench
