// What predictions of all kernels on rows go by: the instructions of the code that they share (row.cuh). Per element and
// lane, unless it says otherwise; they count where instructions decide, and as a warp's own latency.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_COMMON_FIGURES(X)                                                        \
  /* name, value, what it is, fitted to, error in % */                                       \
  X(memory_share, 0.896, "of memory_gbs that reading and writing reach", "2026-11-28", 9.4)  \
  X(element_instructions, 0.662, "read, squared, normalised, written", "2026-11-28", 9.8)    \
  X(residual_instructions, 1.15, "the residual", "2026-11-28", 10.6)                         \
  X(sum_instructions, 0.975, "the sum of both", "2026-11-28", 11.0)                          \
  X(softmax_instructions, 2.74, "greatest and exponentials", "2026-11-28", 9.5)              \
  X(layernorm_instructions, 3.73, "the mean", "2026-11-28", 10.5)                            \
  X(weight_instructions, 0.437, "gamma or beta", "2026-11-28", 9.7)                          \
  X(unaligned_instructions, 49, "of a warp: head and tail of a row", "2026-11-28", 10.5)     \
  X(shift_instructions, 2.38, "gamma or beta, shifted into place", "2026-11-28", 10.2)       \
  X(single_load_instructions, 3.18, "a matrix that is read by elements", "2026-11-28", 14.9) \
  X(single_store_instructions, 5.04, "one that is written by elements", "2026-11-28", 15.1)  \
  X(stage_instructions, 2.43, "a stage that is interpreted", "2026-11-28", 10.8)             \
  X(activation_instructions, 2.39, "an activation, more", "2026-11-28", 8.6)                 \
  X(linear_instructions, 1.1, "a linear chain", "2026-11-28", 9.1)                           \
  X(operand_instructions, 0.612, "a stage's operand", "2026-11-28", 10.9)

namespace gpuopt {

GPUOPT_FIGURES(NormCommonFigures, norm_common_figures, GPUOPT_NORM_COMMON_FIGURES)

}  // namespace gpuopt
