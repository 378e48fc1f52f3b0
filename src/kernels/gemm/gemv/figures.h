// Figures of the matrix by vector kernels.
#pragma once

#include "common/figures.h"

#define GPUOPT_GEMM_GEMV_FIGURES(X)                                                                  \
  X(start_us, 5, "a call that multiplies nothing", "guess", 0)                                     \
  X(memory_share, 0.9, "of memory_gbs that lines on 16 bytes reach", "guess", 0)                     \
  X(unaligned_share, 0.8, "the same, lines that begin anywhere", "guess", 0)                         \
  X(latency_clocks, 1900, "from a load to its use, of a busy memory", "guess", 0)                    \
  X(sm_bytes_per_clock, 36, "that a multiprocessor gets", "guess", 0)                                \
  X(fma_share, 0.5, "of the multiply-adds a clock that are reached", "guess", 0)                     \
  X(narrow_fma_share, 0.3, "the same of types of 16 and 8 bits", "guess", 0)                         \
  X(block_clocks, 1500, "a block's beginning and end", "guess", 0)                                   \
  X(join_us, 2.0, "parts of k from several blocks", "guess", 0)                                      \
  X(part_us, 0.02, "the same for each part", "derived", 0)                                           \
  X(sharpness, 4, "overlapped_us()", "derived", 0)

namespace gpuopt {

GPUOPT_FIGURES(GemmGemvFigures, gemm_gemv_figures, GPUOPT_GEMM_GEMV_FIGURES)

}  // namespace gpuopt
