// What rows cost that a group of threads reduces.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_ROWS_FIGURES(X)                                                                                           \
  /* name              value   what it is                                                        fitted to          error, % */ \
  X(launch_us,         2.38,   "reduce_rows: launch",                                                "2026-11-28", 8.2)         \
  X(life_us,            0.115, "of a block, its beginning and end",                                  "2026-11-28", 8.2)         \
  X(turn_us,            0.378, "a turn of its vectors beyond the first",                             "2026-11-28", 6.5)         \
  X(arg_life_us,        0.209, "more of an ARG",                                                     "2026-11-28", 8.7)         \
  X(bytes_clocks,      316,    "more of 8-bit elements taken apart",                                 "2026-11-28", 9.4)         \
  X(extreme_bytes,     1.26,   "times that, MIN and MAX",                                            "2026-11-28", 12.3)        \
  X(last_life,          0.333, "of a life, the last",                                                "2026-11-28", 8.2)         \
  X(alone_factor,       0.558, "times the time to issue a block's instructions alone",               "2026-11-28", 8.2)         \
  X(extreme_turn,      1.2,    "times a turn, MIN and MAX",                                          "2026-11-28", 9.1)         \
  X(whole_turn,        0.987,  "times a turn, sums and ARGs of whole vectors",                       "2026-11-28", 3.7)         \
  X(wait_us,           0.722,  "short rows of a block wait for each other at its barrier",           "2026-11-28", 5.6)         \
  X(blocks,            2.49,   "of a multiprocessor at once, in effect",                             "2026-11-28", 8.1)         \
  X(memory_share,       0.953, "of memory_gbs",                                                      "2026-11-28", 7.7)         \
  X(row_clocks,        171,    "of a scheduler, for each warp of a row",                             "2026-11-28", 8.0)         \
  X(arg_clocks,        150,    "more of an ARG",                                                     "2026-11-28", 8.7)         \
  X(end_clocks,        28.3,   "more where a row has ends",                                          "2026-11-28", 8.3)         \
  X(end_bytes,          0.752, "times that, 8-bit types",                                            "2026-11-28", 9.7)         \
  X(dot,               3.82,   "times a plain sum's element",                                        "2026-11-28", 14.6)        \
  X(product,           1.24,   "times a plain sum's element",                                        "2026-11-28", 7.5)         \
  X(extreme,            0.624, "times a plain sum's element",                                        "2026-11-28", 10.7)        \
  X(arg,               1.13,   "times a plain sum's element",                                        "2026-11-28", 8.7)         \
  X(f64,               1.85,   "times that, f64",                                                    "2026-11-28", 9.4)         \
  X(integer,           3.79,   "times that, i32 and i64",                                            "2026-11-28", 8.9)         \
  X(fp8,               1.33,   "more for an 8-bit float",                                            "2026-11-28", 8.0)         \
  X(words,              0.0697, "more for an 8-bit integer, by words",                                "2026-11-28", 11.4)        \
  X(bytes,              0.572, "more for an 8-bit integer taken apart",                              "2026-11-28", 13.2)        \
  X(half,               0.246, "more for a 16-bit float",                                            "2026-11-28", 6.6)         \
  X(group_launch_us,   2.86,   "reduce_rows_group: launch",                                          "2026-11-28", 9.4)         \
  X(group_share,        0.919, "reduce_rows_group: of memory_gbs",                                   "2026-11-28", 9.4)         \
  X(group_clocks,      69.8,   "of a scheduler, for the rows of a warp",                             "2026-11-28", 9.4)         \
  X(group_step_clocks, 17.2,   "more for each step",                                                 "2026-11-28", 9.2)         \
  X(group_arg,         2.8,    "times that, ARG",                                                    "2026-11-28", 10.6)        \
  X(group_extreme,     1.47,   "times that, MIN and MAX",                                            "2026-11-28", 7.0)         \
  X(group_product,     0.878,  "times that, PROD",                                                   "2026-11-28", 6.4)         \
  X(group_dot,         2.55,   "times that, DOT",                                                    "2026-11-28", 12.5)        \
  X(group_pieces,      0.891,  "times that, of rows that begin anywhere",                            "2026-11-28", 7.8)         \
  X(group_any,          0.763, "times that, by elements of types known at run time",                 "2026-11-28", 8.7)         \
  X(group_slow,        1.11,   "times that, 8-bit types and f64",                                    "2026-11-28", 9.9)         \
  X(group_rest_clocks, 46,     "a step of what is no whole vector",                                  "2026-11-28", 19.9)        \
  X(group_row_clocks,  2.04,   "a result",                                                           "2026-11-28", 9.4)         \
  X(group_arg_clocks,  3.89,   "more for an index",                                                  "2026-11-28", 10.6)        \
  X(group_turn_us,     0.28,   "a step's wait",                                                      "2026-11-28", 9.2)         \
  X(plan_half_group,   1.07,   "choice of lanes: times those of a row, half as many",               "2026-11-28", 8.2)         \
  X(plan_life_us,      0.947,  "choice of threads: life of a block",                                 "2026-11-28", 7.5)         \
  X(plan_step_us,      0.366,  "choice of threads: a step",                                          "2026-11-28", 8.8)         \
  X(plan_last_life,    0.199,  "choice of threads: of a life, the last",                             "2026-11-28", 8.2)         \
  X(plan_lives,        0.02,   "choice of threads: of all lives one after the other, likewise", "2026-11-28", 8.2)              \
  X(plan_start_us,     0.6,    "choice of threads: reading begun",                                   "2026-11-28", 2.9)         \
  X(plan_share,        0.97,   "choice of threads: of memory_gbs",                                   "2026-11-28", 2.2)         \
  X(plan_wait_us,      0.6,    "choice of threads: short rows wait",                                 "2026-11-28", 10.7)
// clang-format on
GPUOPT_FIGURES(ReduceRowsFigures, reduce_rows_figures, GPUOPT_REDUCE_ROWS_FIGURES)

}  // namespace gpuopt
