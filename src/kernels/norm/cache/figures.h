// What predictions of kernels that read rows twice go by, beside what all kernels on rows share. Times are a row's chain
// of latencies.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_CACHE_FIGURES(X)                                                                                 \
  /* name, value, what it is, fitted to, error in % */                                                               \
  X(l1_launch_us, 2.73, "launch, start and end of the call, first-level cache", "2026-11-28", 5.1)                   \
  X(l1_share, 0.886, "of memory_gbs, first-level cache", "2026-11-28", 0.8)                                          \
  X(l1_any_share, 0.764, "the same where addresses are not known when it is compiled", "2026-11-28", 10.9)           \
  X(l1_row_us, 1.14, "of a row, read and written, first-level cache", "2026-11-28", 5.1)                             \
  X(l2_launch_us, 2.54, "launch, start and end of the call, rows of any length", "2026-11-28", 10.0)                 \
  X(l2_start_us, 0.0912, "of a row, beside what follows, rows of any length", "2026-11-28", 10.0)                    \
  X(l2_ahead_us, 0.331, "of four vectors of a thread, first reading, rows of any length", "2026-11-28", 10.0)        \
  X(l2_again_us, 0.715, "of two, second reading, rows of any length", "2026-11-28", 10.0)                            \
  X(l2_residual_share, 0.0728, "more of both with a residual, rows of any length", "2026-11-28", 10.6)               \
  X(l2_weight_us, 0.251, "of two vectors and one of a weight, rows of any length", "2026-11-28", 9.8)                \
  X(l2_operand_us, 0.52, "of two and a stage's operand, rows of any length", "2026-11-28", 10.3)                     \
  X(l2_held_share, 0.672, "of l2_bytes that rows stay in, rows of any length", "2026-11-28", 10.2)                   \
  X(l2_again_share, 0.379, "of the second reading that memory is busy with, rows of any length", "2026-11-28", 10.0) \
  X(l2_times, 3.89, "instructions, for reading twice, rows of any length", "2026-11-28", 10.0)                       \
  X(l2_place_us, 0.064, "for a block to come and go, rows of any length", "2026-11-28", 10.0)                        \
  X(l2_clocks, 15.6, "of an instruction, one after the other, rows of any length", "2026-11-28", 10.0)

namespace gpuopt {

GPUOPT_FIGURES(NormCacheFigures, norm_cache_figures, GPUOPT_NORM_CACHE_FIGURES)

}  // namespace gpuopt
