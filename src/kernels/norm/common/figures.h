// What predictions of all kernels on rows go by: the instructions of the code that they share (row.cuh). Per element and
// lane, unless it says otherwise; they count where instructions decide, and as a warp's own latency.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_COMMON_FIGURES(X)                                                        \
  /* name, value, what it is, fitted to, error in % */                                       \
  X(memory_share, 0.894, "of memory_gbs that reading and writing reach", "2026-11-28", 9.4)  \
  X(element_instructions, 0.786, "read, squared, normalised, written", "2026-11-28", 9.9)    \
  X(residual_instructions, 1.25, "the residual", "2026-11-28", 10.8)                         \
  X(sum_instructions, 0.939, "the sum of both", "2026-11-28", 11.0)                          \
  X(softmax_instructions, 2.66, "greatest and exponentials", "2026-11-28", 9.4)              \
  X(layernorm_instructions, 3.92, "the mean", "2026-11-28", 10.6)                            \
  X(weight_instructions, 0.415, "gamma or beta", "2026-11-28", 9.8)                          \
  X(unaligned_instructions, 48.9, "of a warp: head and tail of a row", "2026-11-28", 10.4)   \
  X(shift_instructions, 2.44, "gamma or beta, shifted into place", "2026-11-28", 10.3)       \
  X(single_load_instructions, 3.09, "a matrix that is read by elements", "2026-11-28", 14.7) \
  X(single_store_instructions, 5.71, "one that is written by elements", "2026-11-28", 15.5)  \
  X(stage_instructions, 2.5, "a stage that is interpreted", "2026-11-28", 10.9)              \
  X(activation_instructions, 2.41, "an activation, more", "2026-11-28", 8.9)                 \
  X(linear_instructions, 0.789, "a linear chain", "2026-11-28", 9.3)                         \
  X(operand_instructions, 0.57, "a stage's operand", "2026-11-28", 10.8)

namespace gpuopt {

GPUOPT_FIGURES(NormCommonFigures, norm_common_figures, GPUOPT_NORM_COMMON_FIGURES)

}  // namespace gpuopt
