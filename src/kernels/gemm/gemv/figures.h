// Figures of the matrix by vector kernels.
#pragma once

#include "common/figures.h"

#define GPUOPT_GEMM_GEMV_FIGURES(X)                                                                         \
  X(start_us, 4.6, "a call that multiplies nothing", "2026-11-22-h200", 0)                                  \
  X(memory_share, 0.88, "of memory_gbs that lines on 16 bytes reach", "derived", 0)                         \
  X(unaligned_share, 0.75, "the same, lines that begin anywhere", "derived", 0)                             \
  X(sm_bytes_per_clock, 32, "of a multiprocessor full of warps", "derived", 0)                              \
  X(along_block_bytes_per_clock, 16, "of a block alone on its multiprocessor, lines along k", "derived", 0) \
  X(across_block_bytes_per_clock, 28, "the same, lines across k", "derived", 0)                             \
  X(fma_share, 0.17, "of the multiply-adds a clock that are reached", "2026-11-22-h200", 0)                 \
  X(narrow_fma_share, 0.05, "the same of types of 16 and 8 bits", "2026-11-22-h200", 0)                     \
  X(block_clocks, 2500, "a block's beginning and end, of which others hide some", "derived", 0)             \
  X(hidden_share, 0.7, "of those, where a multiprocessor has several blocks", "derived", 0)                 \
  X(join_us, 1.0, "parts of k from several blocks", "derived", 0)                                           \
  X(part_us, 0.02, "the same for each part", "derived", 0)                                                  \
  X(sharpness, 4, "overlapped_us()", "derived", 0)

namespace gpuopt {

GPUOPT_FIGURES(GemmGemvFigures, gemm_gemv_figures, GPUOPT_GEMM_GEMV_FIGURES)

}  // namespace gpuopt
