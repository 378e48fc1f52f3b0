// What predictions of every pass of fused_act were fitted to: latencies of a call, instructions of an element.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_FUSED_ACT_COMMON_FIGURES(X)                                                                         \
  /* name                        value  what it is                                    fitted to        error, % */ \
  X(issue_share,                   0.76, "of the issue rate that a pass reaches",           "2026-11-28", 7.7)     \
  X(dependent_clocks,             0.711, "of a thread alone, for each instruction",         "2026-11-28", 7.7)     \
  X(special_share,                0.758, "of the special functions' rate",                  "2026-11-28", 5.8)     \
  X(hidden_share,                  0.13, "of the quicker of two limits: not hidden",        "2026-11-28", 7.6)     \
  X(written_factor,                1.05, "times the bytes that are written",                "2026-11-28", 7.7)     \
  X(stage_us,                    0.0631, "for each stage, latency",                         "2026-11-28", 7.7)     \
  X(operand_us,                   0.593, "for each operand of a stage, latency",            "2026-11-28", 7.9)     \
  X(operand_at_once_us,           0.295, "the same where it is under way with x",           "2026-11-28", 8.0)     \
  X(behind_us,                     0.76, "less of a launch, behind a product",         "2026-11-28", 9.6)          \
  X(held_share,                   0.229, "less of memory's time, sums that L2 holds",  "2026-11-28", 9.6)          \
  X(element_instructions,          3.35, "of each element",                                 "2026-11-28", 8.0)     \
  X(access_instructions,           3.04, "for each matrix of 4 bytes and more",             "2026-11-28", 8.5)     \
  X(narrow_instructions,           1.58, "for each matrix of 16-bit elements",              "2026-11-28", 7.6)     \
  X(byte_instructions,             1.69, "for each matrix of 8-bit elements",               "2026-11-28", 7.9)     \
  X(convert_instructions,         0.335, "more for 8-bit types and integers",               "2026-11-28", 8.3)     \
  X(convert_special,              0.291, "special functions that an integer takes",         "2026-11-28", 5.5)     \
  X(unaligned_instructions,       0.494, "more for a matrix that is not aligned",           "2026-11-28", 8.5)     \
  X(idle_instructions,             70.9, "that a thread without elements costs",            "2026-11-28", 9.8)     \
  X(vector_instructions,          0.925, "for a stage's vector",                            "2026-11-28", 8.2)     \
  X(plain_instructions,            2.57, "for a stage of plain arithmetic",                 "2026-11-28", 8.1)     \
  X(gelu_instructions,             7.52, "for GELU",                                        "2026-11-28", 7.5)     \
  X(gelu_gradient_instructions,      15, "for GELU_GRAD",                                   "2026-11-28", 8.7)     \
  X(sigmoid_instructions,          4.25, "for SIGMOID, SILU, its gradient, GELU_TANH", "2026-11-28", 7.9)          \
  X(tanh_instructions,             10.8, "for TANH",                                        "2026-11-28", 9.9)     \
  X(special_instructions,          6.44, "for EXP, LOG, SQRT, RECIPROCAL",                  "2026-11-28", 9.5)     \
  X(wide_factor,                   4.02, "times the instructions in fp64",                  "2026-11-28", 9.3)     \
  X(wide_special_instructions,     3.58, "for a special function in fp64",                  "2026-11-28", 10.0)
// clang-format on
GPUOPT_FIGURES(FusedActCommonFigures, fused_act_common_figures, GPUOPT_FUSED_ACT_COMMON_FIGURES)

}  // namespace gpuopt
