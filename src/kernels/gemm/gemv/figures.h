// Figures of the matrix by vector kernels.
#pragma once

#include "common/figures.h"

// Beside those that predict, the same as plans assume them: how a product is cut, and so the order of its sums, stays.
#define GPUOPT_GEMM_GEMV_FIGURES(X)                                                                       \
  X(start_us, 3.16, "a call that multiplies nothing", "2026-11-28", 9.7)                                  \
  X(memory_share, 1, "of memory_gbs that lines on 16 bytes reach", "2026-11-28", 12.2)                    \
  X(unaligned_share, 0.894, "the same, lines that begin anywhere", "2026-11-28", 7.8)                     \
  X(latency_clocks, 1208, "from a load to its use, of a busy memory", "2026-11-28", 9.7)                  \
  X(sm_bytes_per_clock, 34, "that a multiprocessor gets", "2026-11-28", 9.9)                              \
  X(fma_share, 0.277, "of the multiply-adds a clock that are reached", "2026-11-28", 9.7)                 \
  X(half_clocks, 0.02, "an SM's, to make an element of 16 bits one of 32", "2026-11-28", 10.7)            \
  X(fp8_clocks, 0.054, "the same, of fp8", "2026-11-28", 10.1)                                            \
  X(i8_clocks, 0.0397, "the same, of i8", "2026-11-28", 8.0)                                              \
  X(block_clocks, 525, "a block's beginning and end", "2026-11-28", 9.7)                                  \
  X(stage_clocks, 96.5, "a thread's, for an element of the few", "2026-11-28", 9.7)                       \
  X(warp_clocks, 261, "a warp's, of its multiprocessor", "2026-11-28", 9.7)                               \
  X(row_clocks, 35.6, "a thread's, for a result and each part of it in shared memory", "2026-11-28", 9.7) \
  X(c_clocks, 674, "the same, where C is read", "2026-11-28", 9.3)                                        \
  X(join_us, 1.77, "parts of k from several blocks", "2026-11-28", 7.7)                                   \
  X(part_us, 0.126, "the same for each part", "2026-11-28", 7.7)                                          \
  X(sharpness, 1.72, "overlapped_us()", "2026-11-28", 9.7)                                                \
  X(plan_memory_share, 0.654, "plans: of memory_gbs that lines on 16 bytes reach", "planned", 0)          \
  X(plan_unaligned_share, 0.906, "plans: the same, lines that begin anywhere", "planned", 0)              \
  X(plan_latency_clocks, 2149, "plans: from a load to its use, of a busy memory", "planned", 0)           \
  X(plan_sm_bytes_per_clock, 36, "plans: that a multiprocessor gets", "planned", 0)                       \
  X(plan_fma_share, 0.287, "plans: of the multiply-adds a clock that are reached", "planned", 0)          \
  X(plan_narrow_fma_share, 0.17, "plans: the same of types of 16 and 8 bits", "planned", 0)               \
  X(plan_block_clocks, 1695, "plans: a block's beginning and end", "planned", 0)                          \
  X(plan_stage_clocks, 8.87, "plans: a thread's, for an element of the few", "planned", 0)                \
  X(plan_warp_clocks, 182, "plans: a warp's, of its multiprocessor", "planned", 0)                        \
  X(plan_join_us, 2.33, "plans: parts of k from several blocks", "planned", 0)                            \
  X(plan_part_us, 0.0381, "plans: the same for each part", "planned", 0)                                  \
  X(plan_sharpness, 3.96, "plans: overlapped_us()", "planned", 0)

namespace gpuopt {

GPUOPT_FIGURES(GemmGemvFigures, gemm_gemv_figures, GPUOPT_GEMM_GEMV_FIGURES)

}  // namespace gpuopt
