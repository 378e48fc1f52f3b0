// What the kernels of any chain ask about its elements, to choose an instance.
#pragma once

#include "common/dtypes.cuh"
#include "fused_act/common/chain_steps.cuh"

namespace gpuopt {

// Of the largest element of a matrix, of any operand; and of the smallest of any.
struct ElementBytes {
  int matrix, any, least;
};
inline ElementBytes element_bytes(const gpuopt_problem &problem) {
  ElementBytes bytes = {0, 0, 8};
  const auto see = [&](int32_t dtype, bool matrix) {
    if (dtype == 0) return;
    const int b = dtype_bytes(dtype);
    if (matrix && b > bytes.matrix) bytes.matrix = b;
    if (b > bytes.any) bytes.any = b;
    if (b < bytes.least) bytes.least = b;
  };
  see(problem.operand[GPUOPT_OPERAND_X].m.dtype, true);
  see(problem.operand[GPUOPT_OPERAND_OUT].m.dtype, true);
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    see(problem.stage[s].a.m.dtype, is_matrix(problem.stage[s]));
    see(problem.stage[s].b.m.dtype, false);
  }
  return bytes;
}

inline bool has_stage_matrix(const gpuopt_problem &problem) {
  for (int32_t s = 0; s < problem.stage_count; ++s)
    if (is_matrix(problem.stage[s]) && problem.stage[s].kind != GPUOPT_STAGE_STORE) return true;
  return false;
}

}  // namespace gpuopt
