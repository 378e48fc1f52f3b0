// What fused_act_scalar's prediction was fitted to.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_FUSED_ACT_LADDER_FIGURES(X)                                                                          \
  /* name                         value  what it is                                        fitted to    error, % */ \
  X(scalar_launch_us,               3.73, "launch and first loads",                         "2026-11-22-h200", 6.3) \
  X(scalar_stage_us,               0.152, "for each stage, latency",                        "2026-11-22-h200", 6.3) \
  X(scalar_operand_us,             0.278, "for each operand of a stage, latency",           "2026-11-22-h200", 6.3) \
  X(scalar_function_us,           0.0708, "for each special function, latency",             "2026-11-22-h200", 6.3) \
  X(scalar_share,                  0.817, "of the memory rate",                             "2026-11-22-h200", 6.3) \
  X(scalar_cache_share,             1.13, "of the memory rate, second-level cache",         "2026-11-22-h200", 6.3) \
  X(scalar_cache_part,              0.27, "of that cache, for what rows of threads share",  "2026-11-22-h200", 6.3) \
  X(scalar_line_clocks,             1.55, "for each line of a warp's access",               "2026-11-22-h200", 6.3) \
  X(scalar_issue_share,            0.643, "of the issue rate",                              "2026-11-22-h200", 6.3) \
  X(scalar_dependent_clocks,        3.19, "of a thread alone, for each instruction",        "2026-11-22-h200", 6.3) \
  X(scalar_thread_instructions,     88.2, "of a thread, which has one element",             "2026-11-22-h200", 6.3) \
  X(scalar_stage_instructions,        24, "of a thread and stage",                          "2026-11-22-h200", 6.3) \
  X(scalar_operand_instructions,    25.8, "of a thread and operand",                        "2026-11-22-h200", 6.3) \
  X(scalar_function_instructions,   6.36, "for each special function of an element",        "2026-11-22-h200", 6.3) \
  X(scalar_convert_instructions,    1.36, "for each matrix of integers",                    "2026-11-22-h200", 6.3) \
  X(scalar_wide_factor,             4.09, "times the functions' instructions in fp64",      "2026-11-22-h200", 6.3)
// clang-format on
GPUOPT_FIGURES(FusedActLadderFigures, fused_act_ladder_figures, GPUOPT_FUSED_ACT_LADDER_FIGURES)

}  // namespace gpuopt
