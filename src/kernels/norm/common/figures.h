// What predictions of all kernels on rows go by: the instructions of the code that they share (row.cuh). Per element and
// lane, unless it says otherwise; they count where instructions decide, and as a warp's own latency.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_COMMON_FIGURES(X)                                                             \
  /* name, value, what it is, fitted to, error in % */                                            \
  X(memory_share, 0.966, "of memory_gbs that reading and writing reach", "2026-11-27-h200", 9.5)  \
  X(element_instructions, 0.809, "read, squared, normalised, written", "2026-11-27-h200", 10.0)   \
  X(residual_instructions, 1.17, "the residual", "2026-11-27-h200", 11.1)                         \
  X(sum_instructions, 1.04, "the sum of both", "2026-11-27-h200", 10.8)                           \
  X(softmax_instructions, 2.55, "greatest and exponentials", "2026-11-27-h200", 9.2)              \
  X(layernorm_instructions, 3.42, "the mean", "2026-11-27-h200", 10.3)                            \
  X(weight_instructions, 0.693, "gamma or beta", "2026-11-27-h200", 10.4)                         \
  X(unaligned_instructions, 43.8, "of a warp: head and tail of a row", "2026-11-27-h200", 10.6)   \
  X(shift_instructions, 2.61, "gamma or beta, shifted into place", "2026-11-27-h200", 10.6)       \
  X(single_load_instructions, 4.22, "a matrix that is read by elements", "2026-11-27-h200", 13.9) \
  X(single_store_instructions, 8.49, "one that is written by elements", "2026-11-27-h200", 12.6)  \
  X(stage_instructions, 3.39, "a stage that is interpreted", "2026-11-27-h200", 9.5)              \
  X(activation_instructions, 1.59, "an activation, more", "2026-11-27-h200", 9.0)                 \
  X(linear_instructions, 3.28, "a linear chain", "2026-11-27-h200", 10.4)                         \
  X(operand_instructions, 1.18, "a stage's operand", "2026-11-27-h200", 10.0)

namespace gpuopt {

GPUOPT_FIGURES(NormCommonFigures, norm_common_figures, GPUOPT_NORM_COMMON_FIGURES)

}  // namespace gpuopt
