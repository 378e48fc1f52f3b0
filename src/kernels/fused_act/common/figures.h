// What predictions of every pass of fused_act were fitted to: latencies of a call, instructions of an element.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_FUSED_ACT_COMMON_FIGURES(X)                                                                         \
  /* name                        value  what it is                                    fitted to        error, % */ \
  X(issue_share,                  0.763, "of the issue rate that a pass reaches",      "2026-11-22-h200", 6.7)     \
  X(dependent_clocks,               0.7, "of a thread alone, for each instruction",    "2026-11-22-h200", 6.7)     \
  X(special_share,                 0.76, "of the special functions' rate",             "2026-11-22-h200", 6.7)     \
  X(hidden_share,                 0.116, "of the quicker of two limits: not hidden",   "2026-11-22-h200", 6.7)     \
  X(written_factor,                1.13, "times the bytes that are written",           "2026-11-22-h200", 6.7)     \
  X(stage_us,                    0.0606, "for each stage, latency",                    "2026-11-22-h200", 6.7)     \
  X(operand_us,                   0.665, "for each operand of a stage, latency",       "2026-11-22-h200", 6.7)     \
  X(operand_at_once_us,           0.238, "the same where it is under way with x",      "2026-11-22-h200", 6.7)     \
  X(behind_us,                     1.58, "less of a launch, behind a product",         "2026-11-27", 10.8)         \
  X(held_share,                   0.311, "less of memory's time, sums that L2 holds",  "2026-11-27", 10.8)         \
  X(element_instructions,           3.4, "of each element",                            "2026-11-22-h200", 6.7)     \
  X(access_instructions,           3.91, "for each matrix of 4 bytes and more",        "2026-11-22-h200", 6.7)     \
  X(narrow_instructions,           1.55, "for each matrix of 16-bit elements",         "2026-11-22-h200", 6.7)     \
  X(byte_instructions,              1.4, "for each matrix of 8-bit elements",          "2026-11-22-h200", 6.7)     \
  X(convert_instructions,         0.317, "more for 8-bit types and integers",          "2026-11-22-h200", 6.7)     \
  X(convert_special,              0.295, "special functions that an integer takes",    "2026-11-22-h200", 6.7)     \
  X(unaligned_instructions,        0.43, "more for a matrix that is not aligned",      "2026-11-22-h200", 6.7)     \
  X(idle_instructions,             76.1, "that a thread without elements costs",       "2026-11-22-h200", 6.7)     \
  X(vector_instructions,           0.87, "for a stage's vector",                       "2026-11-22-h200", 6.7)     \
  X(plain_instructions,            2.64, "for a stage of plain arithmetic",            "2026-11-22-h200", 6.7)     \
  X(gelu_instructions,             8.07, "for GELU",                                   "2026-11-22-h200", 6.7)     \
  X(gelu_gradient_instructions,    13.1, "for GELU_GRAD",                              "2026-11-22-h200", 6.7)     \
  X(sigmoid_instructions,          6.64, "for SIGMOID, SILU, its gradient, GELU_TANH", "2026-11-22-h200", 6.7)     \
  X(tanh_instructions,             11.5, "for TANH",                                   "2026-11-22-h200", 6.7)     \
  X(special_instructions,          7.73, "for EXP, LOG, SQRT, RECIPROCAL",             "2026-11-22-h200", 6.7)     \
  X(wide_factor,                   3.72, "times the instructions in fp64",             "2026-11-22-h200", 6.7)     \
  X(wide_special_instructions,     3.61, "for a special function in fp64",             "2026-11-22-h200", 6.7)
// clang-format on
GPUOPT_FIGURES(FusedActCommonFigures, fused_act_common_figures, GPUOPT_FUSED_ACT_COMMON_FIGURES)

}  // namespace gpuopt
