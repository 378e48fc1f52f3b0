// What the host decides about a product of few rows or columns on CUDA cores. The side with more lines along k is the many,
// the other the few. A function of the problem, device facts and figures.h only: the same call sums in the same order.
#pragma once

#include "gemm/common/gemm_finish.h"

namespace gpuopt {

constexpr int kGemvPieces = 4;                        // loads of 16 bytes that a thread has at once
constexpr int kGemvShared = 64 * 1024;                // bytes of a block, at most
constexpr int64_t kGemvMostSlice = int64_t{1} << 30;  // of k, of a block
constexpr int64_t kGemvMostFew = 8;                   // rows or columns

// Lines of the few that the functions of a kernel multiply: 1, 4 and 8 of elements of 4 bytes, 1 of 1 byte, else 1 and 4.
constexpr int gemv_few(int variant) { return variant == 0 ? 1 : 2 << variant; }
constexpr int gemv_variants(int element_bytes) { return element_bytes == 4 ? 3 : element_bytes == 1 ? 1 : 2; }

// The largest block: the threads that a multiprocessor has registers for.
constexpr int gemv_threads(int few, int element_bytes) {
  return few > 1 || element_bytes == 1 ? 512 : element_bytes == 4 ? 768 : 640;
}

// Lines of the many and steps of k that a thread has at once.
constexpr int gemv_lines(bool along_k, int element_bytes) { return along_k ? kGemvPieces : 16 / element_bytes; }
constexpr int gemv_depth(bool along_k, int element_bytes) { return along_k ? 16 / element_bytes : kGemvPieces; }

// A block is `phases` threads along k by `groups` of lines of the many; blocks share the product as tiles of both sides, and as
// slices of k.
struct GemvPlan {
  bool along_k;  // the many are contiguous along k
  int32_t few;   // of a tile
  int32_t phases, groups, slices;
  int64_t slice_k, lines;  // of a block
  int64_t chunk;           // of k whose few are in shared memory at once
  int64_t many_tiles, few_tiles;
  double us;  // predicted: all but gemm_finish

  int threads() const { return phases * groups; }
  int64_t tiles(const gpuopt_problem &problem) const { return many_tiles * few_tiles * problem.batch; }
  // Sums of each line that meet in shared memory: those of a warp have met before.
  int64_t rows() const { return along_k ? (phases + 31) / 32 : threads() / 32; }
  size_t shared_bytes(size_t acc_bytes) const {
    return static_cast<size_t>((chunk > rows() * lines ? chunk : rows() * lines) * few) * acc_bytes;
  }
};

inline bool gemv_few_are_rows(const gpuopt_problem &problem) { return problem.m <= problem.n; }
inline int gemv_many_operand(const gpuopt_problem &problem) {
  return gemv_few_are_rows(problem) ? GPUOPT_OPERAND_B : GPUOPT_OPERAND_A;
}
inline int gemv_element_bytes(const gpuopt_problem &problem) {
  return static_cast<int>(gpuopt_dtype_size(problem.operand[gemv_many_operand(problem)].m.dtype));
}

GemvPlan plan_gemv(const gpuopt_problem &problem);

}  // namespace gpuopt
