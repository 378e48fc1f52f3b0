// Figures of the matrix by vector kernels.
#pragma once

#include "common/figures.h"

#define GPUOPT_GEMM_GEMV_FIGURES(X)                                                             \
  X(start_us, 5.07, "a call that multiplies nothing", "2026-11-23-h200", 10.9)                  \
  X(memory_share, 0.786, "of memory_gbs that lines on 16 bytes reach", "2026-11-23-h200", 11.6) \
  X(unaligned_share, 0.499, "the same, lines that begin anywhere", "2026-11-23-h200", 9.6)      \
  X(latency_clocks, 2164, "from a load to its use, of a busy memory", "2026-11-23-h200", 10.9)  \
  X(sm_bytes_per_clock, 36, "that a multiprocessor gets", "2026-11-23-h200", 6.6)               \
  X(fma_share, 0.553, "of the multiply-adds a clock that are reached", "2026-11-23-h200", 10.3) \
  X(narrow_fma_share, 0.157, "the same of types of 16 and 8 bits", "2026-11-23-h200", 11.5)     \
  X(block_clocks, 1475, "a block's beginning and end", "2026-11-23-h200", 10.9)                 \
  X(warp_clocks, 28.6, "a warp's, of its multiprocessor", "2026-11-23-h200", 10.9)              \
  X(join_us, 3.87, "parts of k from several blocks", "2026-11-23-h200", 12.4)                   \
  X(part_us, 0.0299, "the same for each part", "2026-11-23-h200", 12.4)                         \
  X(sharpness, 3.55, "overlapped_us()", "2026-11-23-h200", 10.9)

namespace gpuopt {

GPUOPT_FIGURES(GemmGemvFigures, gemm_gemv_figures, GPUOPT_GEMM_GEMV_FIGURES)

}  // namespace gpuopt
