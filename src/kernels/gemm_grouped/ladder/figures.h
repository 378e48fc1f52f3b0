// Figures of gemm_grouped_naive, after gemm_naive's.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_GROUPED_LADDER_FIGURES(X)                                                        \
  X(naive_us, 4.56, "a call that multiplies nothing", "2026-11-28", 30.0)                            \
  X(naive_step_clocks, 27.3, "a multiprocessor's, for a step of k of 256 elements", "2026-11-28", 30.0)      \
  X(naive_column_factor, 3.3, "of it where B lies along k", "2026-11-28", 36.4)                      \
  X(naive_search_clocks, 47.7, "a step of the search for a row's group", "2026-11-28", 30.0)         \
  X(naive_wait_clocks, 156, "a block's, for a step of k", "2026-11-28", 30.0)        \
  X(naive_column_wait_clocks, 27.4, "more of it where B lies along k", "2026-11-28", 36.4)       \
  X(naive_sharpness, 1.67, "overlapped_us()", "2026-11-28", 30.0)      \
  X(naive_memory_share, 0.421, "of memory_gbs at which the groups' matrices are read", "2026-11-28", 30.0)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmGroupedLadderFigures, gemm_grouped_ladder_figures, GPUOPT_GEMM_GROUPED_LADDER_FIGURES)

}  // namespace gpuopt
