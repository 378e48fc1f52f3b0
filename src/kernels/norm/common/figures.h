// What predictions of all kernels on rows go by: the instructions of the code that they share (row.cuh). Per element and
// lane, unless it says otherwise; they count where instructions decide, and as a warp's own latency.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_COMMON_FIGURES(X)                                                             \
  /* name, value, what it is, fitted to, error in % */                                            \
  X(memory_share, 0.928, "of memory_gbs that reading and writing reach", "2026-11-27 H200", 9.5)  \
  X(element_instructions, 0.802, "read, squared, normalised, written", "2026-11-27 H200", 10.4)   \
  X(residual_instructions, 1.24, "the residual", "2026-11-27 H200", 11.1)                         \
  X(sum_instructions, 1.1, "the sum of both", "2026-11-27 H200", 11.1)                            \
  X(softmax_instructions, 2.22, "greatest and exponentials", "2026-11-27 H200", 10.2)             \
  X(layernorm_instructions, 3.55, "the mean", "2026-11-27 H200", 10.3)                            \
  X(weight_instructions, 0.787, "gamma or beta", "2026-11-27 H200", 10.2)                         \
  X(unaligned_instructions, 38.8, "of a warp: head and tail of a row", "2026-11-27 H200", 10.8)   \
  X(shift_instructions, 2.77, "gamma or beta, shifted into place", "2026-11-27 H200", 9.8)        \
  X(single_load_instructions, 4.4, "a matrix that is read by elements", "2026-11-27 H200", 14.0)  \
  X(single_store_instructions, 8.12, "one that is written by elements", "2026-11-27 H200", 14.5)  \
  X(stage_instructions, 3.11, "a stage that is interpreted", "2026-11-27 H200", 10.4)             \
  X(activation_instructions, 1.49, "an activation, more", "2026-11-27 H200", 10.1)                \
  X(linear_instructions, 3.25, "a linear chain", "2026-11-27 H200", 11.6)                         \
  X(operand_instructions, 1.21, "a stage's operand", "2026-11-27 H200", 10.3)

namespace gpuopt {

GPUOPT_FIGURES(NormCommonFigures, norm_common_figures, GPUOPT_NORM_COMMON_FIGURES)

}  // namespace gpuopt
