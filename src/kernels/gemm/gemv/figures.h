// Figures of the matrix by vector kernels.
#pragma once

#include "common/figures.h"

#define GPUOPT_GEMM_GEMV_FIGURES(X)                                                             \
  X(start_us, 4.76, "a call that multiplies nothing", "2026-11-23-h200", 12.6)                  \
  X(memory_share, 0.654, "of memory_gbs that lines on 16 bytes reach", "2026-11-23-h200", 11.2) \
  X(unaligned_share, 0.906, "the same, lines that begin anywhere", "2026-11-23-h200", 13.1)     \
  X(latency_clocks, 2149, "from a load to its use, of a busy memory", "2026-11-23-h200", 12.6)  \
  X(sm_bytes_per_clock, 36, "that a multiprocessor gets", "2026-11-23-h200", 9.8)               \
  X(fma_share, 0.287, "of the multiply-adds a clock that are reached", "2026-11-23-h200", 7.0)  \
  X(narrow_fma_share, 0.17, "the same of types of 16 and 8 bits", "2026-11-23-h200", 14.2)      \
  X(block_clocks, 1695, "a block's beginning and end", "2026-11-23-h200", 12.6)                 \
  X(stage_clocks, 8.87, "a thread's, for an element of the few", "2026-11-23-h200", 12.6)       \
  X(warp_clocks, 182, "a warp's, of its multiprocessor", "2026-11-23-h200", 12.6)               \
  X(join_us, 2.33, "parts of k from several blocks", "2026-11-23-h200", 16.4)                   \
  X(part_us, 0.0381, "the same for each part", "2026-11-23-h200", 16.4)                         \
  X(sharpness, 3.96, "overlapped_us()", "2026-11-23-h200", 12.7)

namespace gpuopt {

GPUOPT_FIGURES(GemmGemvFigures, gemm_gemv_figures, GPUOPT_GEMM_GEMV_FIGURES)

}  // namespace gpuopt
