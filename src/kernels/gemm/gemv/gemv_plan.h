// What the host decides about a product of few rows or columns on CUDA cores. The side with more lines along k is the many,
// the other the few. A function of the problem, device facts and figures.h only: the same call sums in the same order.
#pragma once

#include "gemm/common/gemm_finish.h"

namespace gpuopt {

constexpr int kGemvThreads = 256, kGemvWarps = kGemvThreads / 32;
constexpr int kGemvRows = 4;  // along k: lines of the many that a team of lanes has at once
// Across k: steps of k that a thread has at once, with one line of the few that begins on 16 bytes, else.
constexpr int kGemvDeep = 8, kGemvDepth = 4;
constexpr int kGemvFewBytes = 16 * 1024;  // of shared memory, for the few

// A kernel's functions: for how many lines of the few, and whether for lines (or, across k, rows of memory) that all begin on
// 16 bytes only. Elements of 4 bytes have all, of 2 and 8 those of some, of 1 those of few.
struct GemvVariant {
  int32_t few;
  bool aligned;
};
constexpr GemvVariant kGemvAll[] = {{1, true}, {2, true}, {4, true}, {8, true}, {1, false}, {4, false}};
constexpr GemvVariant kGemvSome[] = {{1, true}, {4, true}, {1, false}, {4, false}};
constexpr GemvVariant kGemvFew[] = {{1, false}, {4, false}};
struct GemvVariants {
  const GemvVariant *variant;
  int count;
};
constexpr GemvVariants gemv_variants(int element_bytes) {
  return element_bytes == 4   ? GemvVariants{kGemvAll, 6}
         : element_bytes == 1 ? GemvVariants{kGemvFew, 2}
                              : GemvVariants{kGemvSome, 4};
}

// Rows or columns; more are multiplied too slowly one by one.
constexpr int64_t kGemvMostFew = 8;

// How the blocks share a product.
struct GemvPlan {
  bool along_k;        // of the many
  int32_t variant;     // of gemv_variants()
  int32_t few;         // its lines
  int32_t lanes;       // along k: a team's; across: a warp's share of a row of memory, by 16 bytes each
  int32_t warps_of_k;  // along k: warps that share lines
  int32_t slices;      // blocks that share lines; each takes slice_k of k
  int64_t slice_k;
  int64_t many_tiles, few_tiles;
  double us;  // that the choice went by: all but gemm_finish

  // Lines of the many of a block.
  int64_t lines(int element_bytes) const {
    return along_k ? int64_t{kGemvRows} * (kGemvWarps / warps_of_k) * (32 / lanes)
                   : int64_t{lanes} * (16 / element_bytes);
  }
  int64_t sums(int element_bytes) const { return lines(element_bytes) * few; }  // of a block
  int64_t tiles(const gpuopt_problem &problem) const { return many_tiles * few_tiles * problem.batch; }
};

inline bool gemv_few_are_rows(const gpuopt_problem &problem) { return problem.m <= problem.n; }
inline int gemv_many_operand(const gpuopt_problem &problem) {
  return gemv_few_are_rows(problem) ? GPUOPT_OPERAND_B : GPUOPT_OPERAND_A;
}
inline int gemv_few_operand(const gpuopt_problem &problem) {
  return gemv_few_are_rows(problem) ? GPUOPT_OPERAND_A : GPUOPT_OPERAND_B;
}

GemvPlan plan_gemv(const gpuopt_problem &problem);

}  // namespace gpuopt
