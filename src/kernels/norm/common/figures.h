// What predictions of all kernels on rows go by: the instructions of the code that they share (row.cuh). Per element and
// lane, unless it says otherwise; they count where instructions decide, and as a warp's own latency.
#pragma once

#include "common/figures.h"

#define GPUOPT_NORM_COMMON_FIGURES(X)                                                       \
  /* name, value, what it is, fitted to, error in % */                                      \
  X(memory_share, 0.895, "of memory_gbs that reading and writing reach", "2026-11-28", 9.3) \
  X(element_instructions, 0.824, "read, squared, normalised, written", "2026-11-28", 9.7)   \
  X(residual_instructions, 1.26, "the residual", "2026-11-28", 10.7)                        \
  X(sum_instructions, 0.899, "the sum of both", "2026-11-28", 10.8)                         \
  X(softmax_instructions, 2.66, "greatest and exponentials", "2026-11-28", 9.2)             \
  X(layernorm_instructions, 3.95, "the mean", "2026-11-28", 10.5)                           \
  X(weight_instructions, 0.399, "gamma or beta", "2026-11-28", 9.7)                         \
  X(unaligned_instructions, 48.8, "of a warp: head and tail of a row", "2026-11-28", 10.2)  \
  X(shift_instructions, 2.49, "gamma or beta, shifted into place", "2026-11-28", 10.1)      \
  X(single_load_instructions, 3.1, "a matrix that is read by elements", "2026-11-28", 13.7) \
  X(single_store_instructions, 5.13, "one that is written by elements", "2026-11-28", 14.6) \
  X(single_f32_share, 0.329, "of an element that goes alone, in fp32", "2026-11-28", 12.4)  \
  X(stage_instructions, 2.51, "a stage that is interpreted", "2026-11-28", 10.9)            \
  X(activation_instructions, 2.43, "an activation, more", "2026-11-28", 8.9)                \
  X(linear_instructions, 0.73, "a linear chain", "2026-11-28", 9.2)                         \
  X(operand_instructions, 0.548, "a stage's operand", "2026-11-28", 10.8)

namespace gpuopt {

GPUOPT_FIGURES(NormCommonFigures, norm_common_figures, GPUOPT_NORM_COMMON_FIGURES)

}  // namespace gpuopt
