// Figures of the matrix by vector kernels.
#pragma once

#include "common/figures.h"

#define GPUOPT_GEMM_GEMV_FIGURES(X)                                                             \
  X(start_us, 4.72, "a call that multiplies nothing", "2026-11-24-h200", 12.0)                  \
  X(memory_share, 0.63, "of memory_gbs that lines on 16 bytes reach", "2026-11-24-h200", 13.1)  \
  X(unaligned_share, 0.767, "the same, lines that begin anywhere", "2026-11-24-h200", 12.2)     \
  X(latency_clocks, 2249, "from a load to its use, of a busy memory", "2026-11-24-h200", 12.0)  \
  X(sm_bytes_per_clock, 36, "that a multiprocessor gets", "2026-11-24-h200", 10.6)              \
  X(fma_share, 0.632, "of the multiply-adds a clock that are reached", "2026-11-24-h200", 10.6) \
  X(narrow_fma_share, 0.235, "the same of types of 16 and 8 bits", "2026-11-24-h200", 12.6)     \
  X(block_clocks, 688, "a block's beginning and end", "2026-11-24-h200", 12.0)                  \
  X(stage_clocks, 15.7, "a thread's, for an element of the few", "2026-11-24-h200", 12.0)       \
  X(warp_clocks, 218, "a warp's, of its multiprocessor", "2026-11-24-h200", 12.0)               \
  X(join_us, 2.95, "parts of k from several blocks", "2026-11-24-h200", 12.8)                   \
  X(part_us, 0.0356, "the same for each part", "2026-11-24-h200", 12.0)                         \
  X(sharpness, 10.8, "overlapped_us()", "2026-11-24-h200", 12.4)

namespace gpuopt {

GPUOPT_FIGURES(GemmGemvFigures, gemm_gemv_figures, GPUOPT_GEMM_GEMV_FIGURES)

}  // namespace gpuopt
