// What predictions of all kernels on rows go by: the instructions of the code that they share (row.cuh). Per element and
// lane, unless it says otherwise; they count where instructions decide, and as a warp's own latency.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_COMMON_FIGURES(X)                                                             \
  /* name, value, what it is, fitted to, error in % */                                            \
  X(memory_share, 0.965, "of memory_gbs that reading and writing reach", "2026-11-24-h200", 9.5)  \
  X(element_instructions, 0.887, "read, squared, normalised, written", "2026-11-24-h200", 9.4)    \
  X(residual_instructions, 1.14, "the residual", "2026-11-24-h200", 10.8)                         \
  X(sum_instructions, 1.02, "the sum of both", "2026-11-24-h200", 10.6)                           \
  X(softmax_instructions, 2.01, "greatest and exponentials", "2026-11-24-h200", 9.0)              \
  X(layernorm_instructions, 3.66, "the mean", "2026-11-24-h200", 9.5)                             \
  X(weight_instructions, 0.932, "gamma or beta", "2026-11-24-h200", 10.0)                         \
  X(unaligned_instructions, 39.3, "of a warp: head and tail of a row", "2026-11-24-h200", 9.5)    \
  X(shift_instructions, 2.76, "gamma or beta, shifted into place", "2026-11-24-h200", 9.6)        \
  X(single_load_instructions, 5.54, "a matrix that is read by elements", "2026-11-24-h200", 11.0) \
  X(single_store_instructions, 7.05, "one that is written by elements", "2026-11-24-h200", 13.2)  \
  X(stage_instructions, 2.71, "a stage that is interpreted", "2026-11-24-h200", 9.9)              \
  X(activation_instructions, 1.48, "an activation, more", "2026-11-24-h200", 7.0)                 \
  X(linear_instructions, 3.43, "a linear chain", "2026-11-24-h200", 10.8)                         \
  X(operand_instructions, 1.24, "a stage's operand", "2026-11-24-h200", 12.1)

namespace gpuopt {

GPUOPT_FIGURES(NormCommonFigures, norm_common_figures, GPUOPT_NORM_COMMON_FIGURES)

}  // namespace gpuopt
