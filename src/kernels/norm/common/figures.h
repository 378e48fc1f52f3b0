// What predictions of all kernels on rows go by: the instructions of the code that they share (row.cuh). Per element and
// lane, unless it says otherwise; they count where instructions decide, and as a warp's own latency.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_COMMON_FIGURES(X)                                                             \
  /* name, value, what it is, fitted to, error in % */                                            \
  X(memory_share, 0.91, "of memory_gbs that reading and writing reach", "2026-11-27-h200", 9.2)   \
  X(element_instructions, 0.502, "read, squared, normalised, written", "2026-11-27-h200", 9.5)    \
  X(residual_instructions, 1.04, "the residual", "2026-11-27-h200", 10.5)                         \
  X(sum_instructions, 1.06, "the sum of both", "2026-11-27-h200", 10.4)                           \
  X(softmax_instructions, 2.97, "greatest and exponentials", "2026-11-27-h200", 8.8)              \
  X(layernorm_instructions, 4.45, "the mean", "2026-11-27-h200", 10.1)                            \
  X(weight_instructions, 0.352, "gamma or beta", "2026-11-27-h200", 9.7)                          \
  X(unaligned_instructions, 48.5, "of a warp: head and tail of a row", "2026-11-27-h200", 10.1)   \
  X(shift_instructions, 2.68, "gamma or beta, shifted into place", "2026-11-27-h200", 10.6)       \
  X(single_load_instructions, 2.79, "a matrix that is read by elements", "2026-11-27-h200", 12.8) \
  X(single_store_instructions, 5.99, "one that is written by elements", "2026-11-27-h200", 14.6)  \
  X(stage_instructions, 2.82, "a stage that is interpreted", "2026-11-27-h200", 10.0)             \
  X(activation_instructions, 1.96, "an activation, more", "2026-11-27-h200", 10.2)                \
  X(linear_instructions, 1.61, "a linear chain", "2026-11-27-h200", 10.8)                         \
  X(operand_instructions, 0.687, "a stage's operand", "2026-11-27-h200", 10.3)

namespace gpuopt {

GPUOPT_FIGURES(NormCommonFigures, norm_common_figures, GPUOPT_NORM_COMMON_FIGURES)

}  // namespace gpuopt
