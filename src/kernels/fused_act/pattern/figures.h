// What predictions of compiled chains were fitted to. Shares are of the device's memory rate.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_FUSED_ACT_PATTERN_FIGURES(X)                                                                                \
  /* name                                  value  what it is                                  fitted to        error, % */ \
  X(small_launch_us,                         3.44, "launch and first loads, small",            "2026-11-22-h200", 5.5)     \
  X(small_share,                            0.917, "of the memory rate, small",                "2026-11-22-h200", 5.5)     \
  X(small_thread_instructions,               85.7, "of a thread, small",                       "2026-11-22-h200", 5.5)     \
  X(small_stage_instructions,                2.55, "of a thread and stage, small",             "2026-11-22-h200", 5.5)     \
  X(columns_launch_us,                          4, "launch and first loads, columns",          "2026-11-22-h200", 2.0)     \
  X(columns_share,                              1, "of the memory rate, columns",              "2026-11-22-h200", 2.0)     \
  X(columns_thread_instructions,             12.7, "of a thread, columns",                     "2026-11-22-h200", 2.0)     \
  X(columns_stage_instructions,              1.88, "of a thread and stage, columns",           "2026-11-22-h200", 2.0)     \
  X(vec16_launch_us,                         4.14, "launch and first loads, vec16",            "2026-11-22-h200", 4.1)     \
  X(vec16_share,                                1, "of the memory rate, vec16",                "2026-11-22-h200", 4.1)     \
  X(vec16_thread_instructions,               55.8, "of a thread, vec16",                       "2026-11-22-h200", 4.1)     \
  X(vec16_stage_instructions,                2.47, "of a thread and stage, vec16",             "2026-11-22-h200", 4.1)     \
  X(vec16_shifted_instructions,              6.95, "of a word that is shifted, vec16",         "2026-11-22-h200", 4.1)     \
  X(vec16_operand_instructions,              3.49, "of a thread and operand, vec16",           "2026-11-22-h200", 4.1)     \
  X(vec16_edge_instructions,                 2.39, "of an element moved by itself, vec16",     "2026-11-22-h200", 4.1)     \
  X(linear_launch_us,                        3.99, "launch and first loads, aligned",          "2026-11-22-h200", 2.0)     \
  X(linear_share,                            0.98, "of the memory rate, aligned",              "2026-11-22-h200", 2.0)     \
  X(linear_thread_instructions,              41.4, "of a thread, aligned",                     "2026-11-22-h200", 2.0)     \
  X(linear_stage_instructions,               3.28, "of a thread and stage, aligned",           "2026-11-22-h200", 2.0)     \
  X(linear_unaligned_launch_us,              4.29, "launch and first loads, unaligned",        "2026-11-22-h200", 7.1)     \
  X(linear_unaligned_share,                 0.878, "of the memory rate, unaligned",            "2026-11-22-h200", 7.1)     \
  X(linear_unaligned_thread_instructions,    9.74, "of a thread, unaligned",                   "2026-11-22-h200", 7.1)     \
  X(linear_unaligned_stage_instructions,     2.36, "of a thread and stage, unaligned",         "2026-11-22-h200", 7.1)     \
  X(linear_unaligned_shifted_instructions,  0.336, "of a word that is shifted, unaligned",     "2026-11-22-h200", 7.1)     \
  X(linear_unaligned_operand_instructions,   66.6, "of a thread and operand, unaligned",       "2026-11-22-h200", 7.1)     \
  X(linear_unaligned_edge_instructions,      54.1, "of an element moved by itself, unaligned", "2026-11-22-h200", 7.1)     \
  X(linear_runs_launch_us,                   4.34, "launch and first loads, runs",             "2026-11-22-h200", 6.4)     \
  X(linear_runs_share,                      0.885, "of the memory rate, runs",                 "2026-11-22-h200", 6.4)     \
  X(linear_runs_thread_instructions,         77.2, "of a thread, runs",                        "2026-11-22-h200", 6.4)     \
  X(linear_runs_stage_instructions,          6.79, "of a thread and stage, runs",              "2026-11-22-h200", 6.4)     \
  X(linear_runs_shifted_instructions,        9.23, "of a word that is shifted, runs",          "2026-11-22-h200", 6.4)     \
  X(linear_runs_operand_instructions,        58.4, "of a thread and operand, runs",            "2026-11-22-h200", 6.4)     \
  X(linear_runs_edge_instructions,           9.82, "of an element moved by itself, runs",      "2026-11-22-h200", 6.4)
// clang-format on
GPUOPT_FIGURES(FusedActPatternFigures, fused_act_pattern_figures, GPUOPT_FUSED_ACT_PATTERN_FIGURES)

}  // namespace gpuopt
