// Figures of the matrix by vector kernels.
#pragma once

#include "common/figures.h"

#define GPUOPT_GEMM_GEMV_FIGURES(X)                                                             \
  X(start_us, 5.05, "a call that multiplies nothing", "2026-11-23-h200", 10.4)                  \
  X(memory_share, 0.773, "of memory_gbs that lines on 16 bytes reach", "2026-11-23-h200", 11.2) \
  X(unaligned_share, 0.5, "the same, lines that begin anywhere", "2026-11-23-h200", 8.7)        \
  X(latency_clocks, 1904, "from a load to its use, of a busy memory", "2026-11-23-h200", 10.4)  \
  X(sm_bytes_per_clock, 36, "that a multiprocessor gets", "2026-11-23-h200", 5.8)               \
  X(fma_share, 0.591, "of the multiply-adds a clock that are reached", "2026-11-23-h200", 9.6)  \
  X(narrow_fma_share, 0.127, "the same of types of 16 and 8 bits", "2026-11-23-h200", 11.2)     \
  X(block_clocks, 1387, "a block's beginning and end", "2026-11-23-h200", 10.4)                 \
  X(warp_clocks, 45.4, "a warp's, of its multiprocessor", "2026-11-23-h200", 10.4)              \
  X(join_us, 4.57, "parts of k from several blocks", "2026-11-23-h200", 11.3)                   \
  X(part_us, 0.0417, "the same for each part", "2026-11-23-h200", 12.1)                         \
  X(sharpness, 3.14, "overlapped_us()", "2026-11-23-h200", 10.4)

namespace gpuopt {

GPUOPT_FIGURES(GemmGemvFigures, gemm_gemv_figures, GPUOPT_GEMM_GEMV_FIGURES)

}  // namespace gpuopt
