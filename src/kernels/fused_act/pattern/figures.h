// What predictions of compiled chains were fitted to. Shares are of the device's memory rate.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_FUSED_ACT_PATTERN_FIGURES(X)                                                                                \
  /* name                                  value  what it is                                  fitted to        error, % */ \
  X(small_launch_us,                         1.51, "launch and first loads, small",                 "2026-11-28", 5.4)     \
  X(small_share,                            0.884, "of the memory rate, small",                     "2026-11-28", 5.4)     \
  X(small_thread_instructions,               98.5, "of a thread, small",                            "2026-11-28", 5.4)     \
  X(small_stage_instructions,                2.45, "of a thread and stage, small",                  "2026-11-28", 5.4)     \
  X(columns_launch_us,                       2.41, "launch and first loads, columns",               "2026-11-28", 5.6)     \
  X(columns_share,                          0.939, "of the memory rate, columns",                   "2026-11-28", 5.6)     \
  X(columns_thread_instructions,             10.7, "of a thread, columns",                          "2026-11-28", 5.3)     \
  X(columns_stage_instructions,               1.8, "of a thread and stage, columns",                "2026-11-28", 5.3)     \
  X(vec16_launch_us,                         2.52, "launch and first loads, vec16",                 "2026-11-28", 8.7)     \
  X(vec16_share,                            0.986, "of the memory rate, vec16",                     "2026-11-28", 8.7)     \
  X(vec16_thread_instructions,               60.3, "of a thread, vec16",                            "2026-11-28", 8.7)     \
  X(vec16_stage_instructions,                2.48, "of a thread and stage, vec16",                  "2026-11-28", 8.7)     \
  X(vec16_shifted_instructions,              11.7, "of a word that is shifted, vec16",              "2026-11-28", 9.8)     \
  X(vec16_operand_instructions,              3.72, "of a thread and operand, vec16",                "2026-11-28", 10.3)    \
  X(vec16_edge_instructions,                 5.65, "of an element moved by itself, vec16",          "2026-11-28", 9.6)     \
  X(linear_launch_us,                        2.64, "launch and first loads, aligned",               "2026-11-28", 5.2)     \
  X(linear_share,                           0.936, "of the memory rate, aligned",                   "2026-11-28", 5.2)     \
  X(linear_thread_instructions,              41.7, "of a thread, aligned",                          "2026-11-28", 5.1)     \
  X(linear_stage_instructions,               3.28, "of a thread and stage, aligned",                "2026-11-28", 5.1)     \
  X(linear_unaligned_launch_us,              3.12, "launch and first loads, unaligned",             "2026-11-28", 8.4)     \
  X(linear_unaligned_share,                   0.9, "of the memory rate, unaligned",                 "2026-11-28", 6.8)     \
  X(linear_unaligned_thread_instructions,    9.95, "of a thread, unaligned",                        "2026-11-28", 6.9)     \
  X(linear_unaligned_stage_instructions,     2.35, "of a thread and stage, unaligned",              "2026-11-28", 6.9)     \
  X(linear_unaligned_shifted_instructions,  0.336, "of a word that is shifted, unaligned",          "2026-11-28", 3.9)     \
  X(linear_unaligned_operand_instructions,   56.4, "of a thread and operand, unaligned",            "2026-11-28", 7.9)     \
  X(linear_unaligned_edge_instructions,      47.8, "of an element moved by itself, unaligned", "2026-11-28", 6.9)          \
  X(linear_runs_launch_us,                   2.72, "launch and first loads, runs",                  "2026-11-28", 11.9)    \
  X(linear_runs_share,                      0.778, "of the memory rate, runs",                      "2026-11-28", 11.1)    \
  X(linear_runs_thread_instructions,           72, "of a thread, runs",                             "2026-11-28", 12.3)    \
  X(linear_runs_stage_instructions,          6.87, "of a thread and stage, runs",                   "2026-11-28", 12.6)    \
  X(linear_runs_shifted_instructions,        9.02, "of a word that is shifted, runs",               "2026-11-28", 13.0)    \
  X(linear_runs_operand_instructions,        54.4, "of a thread and operand, runs",                 "2026-11-28", 13.7)    \
  X(linear_runs_edge_instructions,           8.75, "of an element moved by itself, runs",           "2026-11-28", 13.6)
// clang-format on
GPUOPT_FIGURES(FusedActPatternFigures, fused_act_pattern_figures, GPUOPT_FUSED_ACT_PATTERN_FIGURES)

}  // namespace gpuopt
