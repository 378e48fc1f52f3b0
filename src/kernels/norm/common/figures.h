// What predictions of all kernels on rows go by: the instructions of the code that they share (row.cuh). Per element and
// lane, unless it says otherwise; they count where instructions decide, and as a warp's own latency.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_COMMON_FIGURES(X)                                                           \
  /* name, value, what it is, fitted to, error in % */                                          \
  X(memory_share, 0.92, "of memory_gbs that reading and writing reach", "2026-11-22-h200", 8.3) \
  X(element_instructions, 0.632, "read, squared, normalised, written", "2026-11-22-h200", 8.3)  \
  X(residual_instructions, 2.61, "the residual", "2026-11-22-h200", 8.3)                        \
  X(sum_instructions, 1.38, "the sum of both", "2026-11-22-h200", 8.3)                          \
  X(softmax_instructions, 3.07, "greatest and exponentials", "2026-11-22-h200", 8.3)            \
  X(layernorm_instructions, 2.85, "the mean", "2026-11-22-h200", 8.3)                           \
  X(weight_instructions, 0.903, "gamma or beta", "2026-11-22-h200", 8.3)                        \
  X(unaligned_instructions, 39.7, "of a warp: head and tail of a row", "2026-11-22-h200", 8.3)  \
  X(shift_instructions, 2.18, "gamma or beta, shifted into place", "2026-11-22-h200", 8.3)      \
  X(single_load_instructions, 1.6, "a matrix that is read by elements", "2026-11-22-h200", 8.3) \
  X(single_store_instructions, 7.04, "one that is written by elements", "2026-11-22-h200", 8.3) \
  X(stage_instructions, 3.14, "a stage that is interpreted", "2026-11-22-h200", 8.3)            \
  X(activation_instructions, 1.55, "an activation, more", "2026-11-22-h200", 8.3)               \
  X(linear_instructions, 3.33, "a linear chain", "2026-11-22-h200", 8.3)                        \
  X(operand_instructions, 1.37, "a stage's operand", "2026-11-22-h200", 8.3)

namespace gpuopt {

GPUOPT_FIGURES(NormCommonFigures, norm_common_figures, GPUOPT_NORM_COMMON_FIGURES)

}  // namespace gpuopt
