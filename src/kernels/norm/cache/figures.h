// What predictions of kernels that read rows twice go by, beside what all kernels on rows share. Times are a row's chain
// of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_CACHE_FIGURES(X)                                                                                \
  /* name, value, what it is, fitted to, error in % */                                                              \
  X(l1_launch_us, 3.88, "launch, start and end of the call, first-level cache", "2026-11-23-h200", 2.4)             \
  X(l1_share, 0.9, "of memory_gbs, first-level cache", "derived", 0.0)                                              \
  X(l1_any_share, 0.925, "the same where addresses are not known when it is compiled", "2026-11-23-h200", 2.4)      \
  X(l1_row_us, 1.31, "of a row, read and written, first-level cache", "2026-11-23-h200", 2.4)                       \
  X(l2_launch_us, 4.24, "launch, start and end of the call, rows of any length", "2026-11-23-h200", 9.0)            \
  X(l2_start_us, 0.433, "of a row, beside what follows, rows of any length", "2026-11-23-h200", 9.0)                \
  X(l2_ahead_us, 0.435, "of four vectors of a thread, first reading, rows of any length", "2026-11-23-h200", 9.0)   \
  X(l2_again_us, 0.746, "of two, second reading, rows of any length", "2026-11-23-h200", 9.0)                       \
  X(l2_residual_share, 0.0729, "more of both with a residual, rows of any length", "2026-11-23-h200", 8.9)          \
  X(l2_weight_us, 0.262, "of two vectors and a weight, rows of any length", "2026-11-23-h200", 9.2)                 \
  X(l2_operand_us, 0.382, "of two and a stage's operand, rows of any length", "2026-11-23-h200", 12.5)              \
  X(l2_held_share, 0.649, "of l2_bytes that rows stay in, rows of any length", "2026-11-23-h200", 8.8)              \
  X(l2_again_share, 0.243, "of the second reading that memory is busy with, rows of any length", "2026-11-23-h200", \
    9.0)                                                                                                            \
  X(l2_times, 2.58, "instructions, for reading twice, rows of any length", "2026-11-23-h200", 9.0)                  \
  X(l2_place_us, 0.0531, "for a block to come and go, rows of any length", "2026-11-23-h200", 9.0)                  \
  X(l2_clocks, 13.2, "of an instruction, one after the other, rows of any length", "2026-11-23-h200", 9.0)

namespace gpuopt {

GPUOPT_FIGURES(NormCacheFigures, norm_cache_figures, GPUOPT_NORM_CACHE_FIGURES)

}  // namespace gpuopt
