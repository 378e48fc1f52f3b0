// Figures of the matrix by vector kernels.
#pragma once

#include "common/figures.h"

#define GPUOPT_GEMM_GEMV_FIGURES(X)                                                                                \
  X(start_us, 4.26, "a call that multiplies nothing", "2026-11-22-h200", 31.1)                                     \
  X(memory_share, 0.45, "of memory_gbs that lines on 16 bytes reach", "2026-11-22-h200", 39.8)                     \
  X(unaligned_share, 0.436, "the same, lines that begin anywhere", "2026-11-22-h200", 27.4)                        \
  X(sm_bytes_per_clock, 36.5, "of a multiprocessor full of warps", "2026-11-22-h200", 33.6)                        \
  X(along_block_bytes_per_clock, 10.2, "of a block alone on its multiprocessor, lines along k", "2026-11-22-h200", \
    27.8)                                                                                                          \
  X(across_block_bytes_per_clock, 9.35, "the same, lines across k", "2026-11-22-h200", 32.9)                       \
  X(fma_share, 0.132, "of the multiply-adds a clock that are reached", "2026-11-22-h200", 19.6)                    \
  X(narrow_fma_share, 0.07, "the same of types of 16 and 8 bits", "2026-11-22-h200", 34.5)                         \
  X(block_clocks, 5529, "a block's beginning and end, of which others hide some", "2026-11-22-h200", 31.1)         \
  X(hidden_share, 0.372, "of those, where a multiprocessor has several blocks", "2026-11-22-h200", 33.0)           \
  X(join_us, 2.88, "parts of k from several blocks", "2026-11-22-h200", 34.4)                                      \
  X(part_us, 0.02, "the same for each part", "derived", 0)                                                         \
  X(sharpness, 4, "overlapped_us()", "derived", 0)

namespace gpuopt {

GPUOPT_FIGURES(GemmGemvFigures, gemm_gemv_figures, GPUOPT_GEMM_GEMV_FIGURES)

}  // namespace gpuopt
