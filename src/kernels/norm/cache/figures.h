// What predictions of kernels that read rows twice go by, beside what all kernels on rows share. Times are a row's chain
// of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_CACHE_FIGURES(X)                                                                                \
  /* name, value, what it is, fitted to, error in % */                                                              \
  X(l1_launch_us, 3.79, "launch, start and end of the call, first-level cache", "2026-11-27-h200", 1.4)             \
  X(l1_share, 0.9, "of memory_gbs, first-level cache", "derived", 0.0)                                              \
  X(l1_any_share, 0.914, "the same where addresses are not known when it is compiled", "2026-11-27-h200", 1.4)      \
  X(l1_row_us, 1.3, "of a row, read and written, first-level cache", "2026-11-27-h200", 1.4)                        \
  X(l2_launch_us, 4.47, "launch, start and end of the call, rows of any length", "2026-11-27-h200", 10.4)           \
  X(l2_start_us, 0.315, "of a row, beside what follows, rows of any length", "2026-11-27-h200", 10.4)               \
  X(l2_ahead_us, 0.543, "of four vectors of a thread, first reading, rows of any length", "2026-11-27-h200", 10.4)  \
  X(l2_again_us, 0.528, "of two, second reading, rows of any length", "2026-11-27-h200", 10.4)                      \
  X(l2_residual_share, 0.0806, "more of both with a residual, rows of any length", "2026-11-27-h200", 11.2)         \
  X(l2_weight_us, 0.316, "of two vectors and a weight, rows of any length", "2026-11-27-h200", 10.6)                \
  X(l2_operand_us, 0.569, "of two and a stage's operand, rows of any length", "2026-11-27-h200", 8.6)               \
  X(l2_held_share, 0.529, "of l2_bytes that rows stay in, rows of any length", "2026-11-27-h200", 10.5)             \
  X(l2_again_share, 0.252, "of the second reading that memory is busy with, rows of any length", "2026-11-27-h200", \
    10.4)                                                                                                           \
  X(l2_times, 4.04, "instructions, for reading twice, rows of any length", "2026-11-27-h200", 10.4)                 \
  X(l2_place_us, 0.0583, "for a block to come and go, rows of any length", "2026-11-27-h200", 10.4)                 \
  X(l2_clocks, 10.5, "of an instruction, one after the other, rows of any length", "2026-11-27-h200", 10.4)

namespace gpuopt {

GPUOPT_FIGURES(NormCacheFigures, norm_cache_figures, GPUOPT_NORM_CACHE_FIGURES)

}  // namespace gpuopt
