// What the host decides about a product of few rows or columns: the tile, into how many parts k is split, how long it takes.
//
// The side with more lines along k is called the many (weights, say), the other the few. A function of the problem, device
// facts and figures.h only: the same call sums in the same order.
#pragma once

#include "gemm/common/packed_operands.h"
#include "gemm/wgmma/wgmma_skinny_split.h"
#include "gemm/wgmma/wgmma_time.h"

namespace gpuopt {

// Lines of the many and of the few that a block multiplies.
struct WgmmaSkinnyShape {
  int many, few;
};
constexpr WgmmaSkinnyShape kWgmmaSkinnyShapes[] = {{64, 8},   {64, 16},  {64, 32},  {64, 64},
                                                   {128, 32}, {128, 64}, {64, 128}, {128, 128}};
// 8-bit operands have all but the last, whose sums would leave no registers for those that move to fp32.
constexpr int wgmma_skinny_shapes(bool is_8bit) { return is_8bit ? 7 : 8; }

struct WgmmaSkinnyPlan {
  int shape;          // of the table
  int32_t lines;      // of the many in a tile, of the shape's: eights of them
  int32_t log_ranks;  // k is split over so many blocks of a cluster: 2^log_ranks
  bool alone;         // a block has a multiprocessor, and all of its shared memory, to itself
  double us;          // that the choice went by: all but packing and gemm_finish
};

inline bool wgmma_few_are_rows(const gpuopt_problem &problem) { return problem.m <= problem.n; }
inline int wgmma_few_operand(const gpuopt_problem &problem) {
  return wgmma_few_are_rows(problem) ? GPUOPT_OPERAND_A : GPUOPT_OPERAND_B;
}
inline int wgmma_many_operand(const gpuopt_problem &problem) {
  return wgmma_few_are_rows(problem) ? GPUOPT_OPERAND_B : GPUOPT_OPERAND_A;
}
inline int64_t wgmma_few_lines(const gpuopt_problem &problem) { return std::min(problem.m, problem.n); }
inline int64_t wgmma_many_lines(const gpuopt_problem &problem) { return std::max(problem.m, problem.n); }

// Operands that are read whichever way they lie. Few lines across k, 64 of which come at a time whether they exist or not, are
// turned on the way to scratch memory, where they need to be packed or what they are multiplied with is long.
AnyLayout wgmma_skinny_layouts(const gpuopt_problem &problem, const WgmmaFacts &facts);

// facts: of any of the kernel's tiles.
WgmmaSkinnyPlan plan_wgmma_skinny(const gpuopt_problem &problem, const WgmmaFacts &facts);

}  // namespace gpuopt
