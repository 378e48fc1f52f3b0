// What predictions of all kernels on rows go by: the instructions of the code that they share (row.cuh). Per element and
// lane, unless it says otherwise; they count where instructions decide, and as a warp's own latency.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_COMMON_FIGURES(X)                                                             \
  /* name, value, what it is, fitted to, error in % */                                            \
  X(memory_share, 0.943, "of memory_gbs that reading and writing reach", "2026-11-23-h200", 9.1)  \
  X(element_instructions, 0.77, "read, squared, normalised, written", "2026-11-23-h200", 9.1)     \
  X(residual_instructions, 1.53, "the residual", "2026-11-23-h200", 9.5)                          \
  X(sum_instructions, 1.21, "the sum of both", "2026-11-23-h200", 9.6)                            \
  X(softmax_instructions, 2.57, "greatest and exponentials", "2026-11-23-h200", 8.7)              \
  X(layernorm_instructions, 3.81, "the mean", "2026-11-23-h200", 9.5)                             \
  X(weight_instructions, 0.776, "gamma or beta", "2026-11-23-h200", 8.9)                          \
  X(unaligned_instructions, 43.5, "of a warp: head and tail of a row", "2026-11-23-h200", 10.0)   \
  X(shift_instructions, 3.16, "gamma or beta, shifted into place", "2026-11-23-h200", 9.4)        \
  X(single_load_instructions, 3.69, "a matrix that is read by elements", "2026-11-23-h200", 12.5) \
  X(single_store_instructions, 5.01, "one that is written by elements", "2026-11-23-h200", 13.6)  \
  X(stage_instructions, 3.32, "a stage that is interpreted", "2026-11-23-h200", 12.0)             \
  X(activation_instructions, 2, "an activation, more", "2026-11-23-h200", 8.7)                    \
  X(linear_instructions, 2.37, "a linear chain", "2026-11-23-h200", 9.2)                          \
  X(operand_instructions, 1.36, "a stage's operand", "2026-11-23-h200", 11.8)

namespace gpuopt {

GPUOPT_FIGURES(NormCommonFigures, norm_common_figures, GPUOPT_NORM_COMMON_FIGURES)

}  // namespace gpuopt
