// What predictions of all kernels on rows go by: the instructions of the code that they share (row.cuh). Per element and
// lane, unless it says otherwise; they count where instructions decide, and as a warp's own latency.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_COMMON_FIGURES(X)                                                        \
  /* name, value, what it is, fitted to, error in % */                                       \
  X(memory_share, 0.902, "of memory_gbs that reading and writing reach", "2026-11-28", 10.1) \
  X(element_instructions, 0.53, "read, squared, normalised, written", "2026-11-28", 10.8)    \
  X(residual_instructions, 1.09, "the residual", "2026-11-28", 11.6)                         \
  X(sum_instructions, 0.981, "the sum of both", "2026-11-28", 11.8)                          \
  X(softmax_instructions, 2.93, "greatest and exponentials", "2026-11-28", 10.8)             \
  X(layernorm_instructions, 3.87, "the mean", "2026-11-28", 10.9)                            \
  X(weight_instructions, 0.406, "gamma or beta", "2026-11-28", 10.7)                         \
  X(unaligned_instructions, 46.2, "of a warp: head and tail of a row", "2026-11-28", 11.9)   \
  X(shift_instructions, 2.98, "gamma or beta, shifted into place", "2026-11-28", 11.9)       \
  X(single_load_instructions, 3.18, "a matrix that is read by elements", "2026-11-28", 15.9) \
  X(single_store_instructions, 4.65, "one that is written by elements", "2026-11-28", 15.4)  \
  X(stage_instructions, 2.02, "a stage that is interpreted", "2026-11-28", 10.9)             \
  X(activation_instructions, 2.35, "an activation, more", "2026-11-28", 11.4)                \
  X(linear_instructions, 1.62, "a linear chain", "2026-11-28", 12.2)                         \
  X(operand_instructions, 0.621, "a stage's operand", "2026-11-28", 10.3)

namespace gpuopt {

GPUOPT_FIGURES(NormCommonFigures, norm_common_figures, GPUOPT_NORM_COMMON_FIGURES)

}  // namespace gpuopt
