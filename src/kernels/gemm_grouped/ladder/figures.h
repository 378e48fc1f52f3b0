// Figures of gemm_grouped_naive, after gemm_naive's.
#pragma once

#include "common/figures.h"

// clang-format off
#define GPUOPT_GEMM_GROUPED_LADDER_FIGURES(X)                                                        \
  X(naive_us, 4.0, "a call that multiplies nothing", "derived", 0)                                   \
  X(naive_step_clocks, 32.0, "a multiprocessor's, for a step of k of 256 elements", "derived", 0)    \
  X(naive_column_factor, 8.0, "of it where B lies along k", "derived", 0)                            \
  X(naive_search_clocks, 40.0, "a step of the search for a row's group", "derived", 0)               \
  X(naive_memory_share, 0.5, "of memory_gbs at which the groups' matrices are read", "derived", 0)
// clang-format on

namespace gpuopt {

GPUOPT_FIGURES(GemmGroupedLadderFigures, gemm_grouped_ladder_figures, GPUOPT_GEMM_GROUPED_LADDER_FIGURES)

}  // namespace gpuopt
