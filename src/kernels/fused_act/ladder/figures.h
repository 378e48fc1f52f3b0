// What fused_act_scalar's prediction was fitted to.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_FUSED_ACT_LADDER_FIGURES(X)                                                                          \
  /* name                         value  what it is                                        fitted to    error, % */ \
  X(scalar_launch_us,               2.32, "launch and first loads",                              "2026-11-28", 7.0) \
  X(scalar_stage_us,               0.149, "for each stage, latency",                             "2026-11-28", 7.0) \
  X(scalar_operand_us,             0.385, "for each operand of a stage, latency",                "2026-11-28", 7.0) \
  X(scalar_function_us,           0.0674, "for each special function, latency",                  "2026-11-28", 7.5) \
  X(scalar_share,                      1, "of the memory rate",                                  "2026-11-28", 6.9) \
  X(scalar_cache_share,              1.1, "of the memory rate, second-level cache",              "2026-11-28", 7.0) \
  X(scalar_cache_part,              0.27, "of that cache, for what rows of threads share",       "2026-11-28", 28.0) \
  X(scalar_line_clocks,             1.65, "for each line of a warp's access",                    "2026-11-28", 9.1) \
  X(scalar_issue_share,            0.628, "of the issue rate",                                   "2026-11-28", 7.0) \
  X(scalar_dependent_clocks,        3.28, "of a thread alone, for each instruction",             "2026-11-28", 6.7) \
  X(scalar_thread_instructions,     90.2, "of a thread, which has one element",                  "2026-11-28", 6.9) \
  X(scalar_stage_instructions,      23.3, "of a thread and stage",                               "2026-11-28", 6.9) \
  X(scalar_operand_instructions,    24.2, "of a thread and operand",                             "2026-11-28", 6.9) \
  X(scalar_function_instructions,   6.44, "for each special function of an element",             "2026-11-28", 7.4) \
  X(scalar_convert_instructions,    1.42, "for each matrix of integers",                         "2026-11-28", 7.0) \
  X(scalar_wide_factor,             4.59, "times the functions' instructions in fp64",           "2026-11-28", 9.7)
// clang-format on
GPUOPT_FIGURES(FusedActLadderFigures, fused_act_ladder_figures, GPUOPT_FUSED_ACT_LADDER_FIGURES)

}  // namespace gpuopt
