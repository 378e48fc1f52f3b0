// What rows cost that a group of threads reduces.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_ROWS_FIGURES(X)                                                                                           \
  /* name              value   what it is                                                        fitted to          error, % */ \
  X(launch_us,         2.36,   "reduce_rows: launch",                                                "2026-11-28", 8.1)         \
  X(life_us,           0.0857, "of a block, its beginning and end",                                  "2026-11-28", 8.1)         \
  X(turn_us,            0.338, "a turn of its vectors beyond the first",                             "2026-11-28", 6.2)         \
  X(arg_life_us,        0.219, "more of an ARG",                                                     "2026-11-28", 9.7)         \
  X(bytes_clocks,      279,    "more of 8-bit elements taken apart",                                 "2026-11-28", 9.1)         \
  X(extreme_bytes,     1.23,   "times that, MIN and MAX",                                            "2026-11-28", 10.0)        \
  X(last_life,           0.48, "of a life, the last",                                                "2026-11-28", 8.1)         \
  X(alone_factor,       0.638, "times the time to issue a block's instructions alone",               "2026-11-28", 8.1)         \
  X(extreme_turn,      1.03,   "times a turn, MIN and MAX",                                          "2026-11-28", 6.4)         \
  X(whole_turn,        0.926,  "times a turn, sums and ARGs of whole vectors",                       "2026-11-28", 4.3)         \
  X(wait_us,           0.73,   "short rows of a block wait for each other at its barrier",           "2026-11-28", 6.3)         \
  X(blocks,            2.78,   "of a multiprocessor at once, in effect",                             "2026-11-28", 7.9)         \
  X(memory_share,       0.961, "of memory_gbs",                                                      "2026-11-28", 7.6)         \
  X(row_clocks,        191,    "of a scheduler, for each warp of a row",                             "2026-11-28", 8.1)         \
  X(arg_clocks,        143,    "more of an ARG",                                                     "2026-11-28", 9.5)         \
  X(end_clocks,        36.3,   "more where a row has ends",                                          "2026-11-28", 8.2)         \
  X(end_bytes,          0.605, "times that, 8-bit types",                                            "2026-11-28", 9.7)         \
  X(dot,               2.52,   "times a plain sum's element",                                        "2026-11-28", 12.3)        \
  X(product,           1.34,   "times a plain sum's element",                                        "2026-11-28", 7.6)         \
  X(extreme,            0.644, "times a plain sum's element",                                        "2026-11-28", 7.9)         \
  X(arg,               0.979,  "times a plain sum's element",                                        "2026-11-28", 9.7)         \
  X(f64,               2.08,   "times that, f64",                                                    "2026-11-28", 6.9)         \
  X(integer,           3.21,   "times that, i32 and i64",                                            "2026-11-28", 10.6)        \
  X(fp8,               1.2,    "more for an 8-bit float",                                            "2026-11-28", 7.7)         \
  X(words,              0.0585, "more for an 8-bit integer, by words",                                "2026-11-28", 11.5)        \
  X(bytes,              0.597, "more for an 8-bit integer taken apart",                              "2026-11-28", 12.4)        \
  X(half,               0.227, "more for a 16-bit float",                                            "2026-11-28", 6.7)         \
  X(group_launch_us,   2.62,   "reduce_rows_group: launch",                                          "2026-11-28", 9.1)         \
  X(group_share,        0.915, "reduce_rows_group: of memory_gbs",                                   "2026-11-28", 9.1)         \
  X(group_clocks,      67.8,   "of a scheduler, for the rows of a warp",                             "2026-11-28", 9.1)         \
  X(group_step_clocks, 17,     "more for each step",                                                 "2026-11-28", 9.0)         \
  X(group_arg,         2.47,   "times that, ARG",                                                    "2026-11-28", 12.2)        \
  X(group_extreme,     1.46,   "times that, MIN and MAX",                                            "2026-11-28", 8.6)         \
  X(group_product,     0.806,  "times that, PROD",                                                   "2026-11-28", 10.5)        \
  X(group_dot,         3.03,   "times that, DOT",                                                    "2026-11-28", 8.3)         \
  X(group_pieces,      1.02,   "times that, of rows that begin anywhere",                            "2026-11-28", 6.9)         \
  X(group_any,           0.84, "times that, by elements of types known at run time",                 "2026-11-28", 9.2)         \
  X(group_slow,        1.22,   "times that, 8-bit types and f64",                                    "2026-11-28", 10.3)        \
  X(group_rest_clocks, 56.2,   "a step of what is no whole vector",                                  "2026-11-28", 12.1)        \
  X(group_row_clocks,  2.45,   "a result",                                                           "2026-11-28", 9.1)         \
  X(group_arg_clocks,  3.3,    "more for an index",                                                  "2026-11-28", 12.2)        \
  X(group_turn_us,     0.387,  "a step's wait",                                                      "2026-11-28", 9.0)         \
  X(plan_half_group,   1.15,   "choice of lanes: times those of a row, half as many",               "2026-11-28", 8.8)         \
  X(plan_life_us,      0.951,  "choice of threads: life of a block",                                 "2026-11-28", 6.0)         \
  X(plan_step_us,      0.365,  "choice of threads: a step",                                          "2026-11-28", 6.7)         \
  X(plan_last_life,    0.199,  "choice of threads: of a life, the last",                             "2026-11-28", 5.7)         \
  X(plan_lives,        0.02,   "choice of threads: of all lives one after the other, likewise", "2026-11-28", 6.3)              \
  X(plan_start_us,     0.6,    "choice of threads: reading begun",                                   "2026-11-28", 4.3)         \
  X(plan_share,        0.97,   "choice of threads: of memory_gbs",                                   "2026-11-28", 8.1)         \
  X(plan_wait_us,      0.6,    "choice of threads: short rows wait",                                 "2026-11-28", 5.3)
// clang-format on
GPUOPT_FIGURES(ReduceRowsFigures, reduce_rows_figures, GPUOPT_REDUCE_ROWS_FIGURES)

}  // namespace gpuopt
