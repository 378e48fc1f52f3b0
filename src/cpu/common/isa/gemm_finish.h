/* What a gemm does to sums once they are whole: C where the tiles could not read it, the chain, the store to D. */
#pragma once

#include "../chain.h"
#include "../views.h"
#include "float_chain.h"

namespace gpuopt {
namespace cpu {

/* sums(i, j) += beta * C for the rows x cols at (row, col) of matrix p. */
template <class T>
void add_scaled_c(const gpuopt_problem &problem, T beta, int64_t p, int64_t row, int64_t rows, int64_t col,
                  int64_t cols, T *sums, int64_t sums_ld) {
  const View c = view_of(problem.operand[GPUOPT_OPERAND_C]);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) sums[i * sums_ld + j] += beta * static_cast<T>(load_at(c, row + i, col + j, p));
}

/* D = chain(sums). sums may be D itself. */
inline void finish(const gpuopt_problem &problem, int isa, int64_t p, int64_t row, int64_t rows, int64_t col,
                   int64_t cols, float *sums, int64_t sums_ld) {
  const gpuopt_operand &d = problem.operand[GPUOPT_OPERAND_D];
  const FloatChain chain = float_chain(problem, isa);
  const int64_t width = cols < kSegment ? cols : kSegment;
  const int64_t height = kSegment / width;
  for (int64_t j = 0; j < cols; j += width)
    for (int64_t i = 0; i < rows; i += height) {
      const Block block = {p, row + i, rows - i < height ? rows - i : height, col + j,
                           cols - j < width ? cols - j : width};
      float x[kSegment];
      for (int64_t r = 0; r < block.rows; ++r)
        chain.rows->load(x + r * block.cols, sums + (i + r) * sums_ld + j, GPUOPT_F32, block.cols);
      chain.run(block, x);
      chain.store(d, block, x, false);
    }
}

inline void finish(const gpuopt_problem &problem, int, int64_t p, int64_t row, int64_t rows, int64_t col, int64_t cols,
                   double *sums, int64_t sums_ld) {
  const View d = view_of(problem.operand[GPUOPT_OPERAND_D]);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j)
      store_at(d, row + i, col + j, p, apply_chain(problem, sums[i * sums_ld + j], row + i, col + j, p));
}

}  // namespace cpu
}  // namespace gpuopt
