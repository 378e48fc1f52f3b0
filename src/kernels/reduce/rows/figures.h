// What rows cost that a group of threads reduces.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_ROWS_FIGURES(X)                                                                                           \
  /* name              value   what it is                                                        fitted to          error, % */ \
  X(launch_us,         3.91,   "reduce_rows: launch",                                           "2026-11-27-h200", 8.2)         \
  X(life_us,             0.16, "of a block, its beginning and end",                             "2026-11-27-h200", 8.2)         \
  X(turn_us,            0.371, "a turn of its vectors beyond the first",                        "2026-11-27-h200", 7.0)         \
  X(arg_life_us,        0.213, "more of an ARG",                                                "2026-11-27-h200", 8.6)         \
  X(bytes_clocks,      262,    "more of 8-bit elements taken apart",                            "2026-11-27-h200", 10.7)        \
  X(extreme_bytes,     1.57,   "times that, MIN and MAX",                                       "2026-11-27-h200", 9.7)         \
  X(last_life,          0.321, "of a life, the last",                                           "2026-11-27-h200", 8.2)         \
  X(alone_factor,       0.633, "times the time to issue a block's instructions alone",          "2026-11-27-h200", 8.2)         \
  X(extreme_turn,      1.26,   "times a turn, MIN and MAX",                                     "2026-11-27-h200", 9.7)         \
  X(whole_turn,        0.903,  "times a turn, sums and ARGs of whole vectors",                  "2026-11-27-h200", 5.9)         \
  X(wait_us,           0.838,  "short rows of a block wait for each other at its barrier",      "2026-11-27-h200", 13.5)        \
  X(blocks,            2.88,   "of a multiprocessor at once, in effect",                        "2026-11-27-h200", 7.7)         \
  X(memory_share,       0.969, "of memory_gbs",                                                 "2026-11-27-h200", 8.2)         \
  X(row_clocks,        169,    "of a scheduler, for each warp of a row",                        "2026-11-27-h200", 8.1)         \
  X(arg_clocks,        117,    "more of an ARG",                                                "2026-11-27-h200", 8.7)         \
  X(end_clocks,        31.3,   "more where a row has ends",                                     "2026-11-27-h200", 7.6)         \
  X(end_bytes,           0.78, "times that, 8-bit types",                                       "2026-11-27-h200", 8.8)         \
  X(dot,               4.77,   "times a plain sum's element",                                   "2026-11-27-h200", 24.5)        \
  X(product,           1.92,   "times a plain sum's element",                                   "2026-11-27-h200", 11.3)        \
  X(extreme,            0.742, "times a plain sum's element",                                   "2026-11-27-h200", 10.2)        \
  X(arg,               1.23,   "times a plain sum's element",                                   "2026-11-27-h200", 8.6)         \
  X(f64,               1.62,   "times that, f64",                                               "2026-11-27-h200", 7.9)         \
  X(integer,           3.27,   "times that, i32 and i64",                                       "2026-11-27-h200", 12.1)        \
  X(fp8,               1.32,   "more for an 8-bit float",                                       "2026-11-27-h200", 8.8)         \
  X(words,              0.0794, "more for an 8-bit integer, by words",                           "2026-11-27-h200", 10.2)        \
  X(bytes,              0.574, "more for an 8-bit integer taken apart",                         "2026-11-27-h200", 12.9)        \
  X(half,               0.229, "more for a 16-bit float",                                       "2026-11-27-h200", 6.3)         \
  X(group_launch_us,   4.7,    "reduce_rows_group: launch",                                     "2026-11-27-h200", 9.3)         \
  X(group_share,        0.987, "reduce_rows_group: of memory_gbs",                              "2026-11-27-h200", 9.3)         \
  X(group_clocks,      70.7,   "of a scheduler, for the rows of a warp",                        "2026-11-27-h200", 9.3)         \
  X(group_step_clocks, 17,     "more for each step",                                            "2026-11-27-h200", 9.3)         \
  X(group_arg,         2.04,   "times that, ARG",                                               "2026-11-27-h200", 13.1)        \
  X(group_extreme,     1.74,   "times that, MIN and MAX",                                       "2026-11-27-h200", 7.1)         \
  X(group_product,     1.33,   "times that, PROD",                                              "2026-11-27-h200", 20.9)        \
  X(group_dot,         1.3,    "times that, DOT",                                               "2026-11-27-h200", 6.4)         \
  X(group_pieces,      1.45,   "times that, of rows that begin anywhere",                       "2026-11-27-h200", 11.4)        \
  X(group_any,           1.13, "times that, by elements of types known at run time",            "2026-11-27-h200", 7.2)         \
  X(group_slow,        1.07,   "times that, 8-bit types and f64",                               "2026-11-27-h200", 9.3)         \
  X(group_rest_clocks, 43.8,   "a step of what is no whole vector",                             "2026-11-27-h200", 11.8)        \
  X(group_row_clocks,  2.22,   "a result",                                                      "2026-11-27-h200", 9.3)         \
  X(group_arg_clocks,  3.35,   "more for an index",                                             "2026-11-27-h200", 13.1)        \
  X(group_turn_us,     0.137,  "a step's wait",                                                 "2026-11-27-h200", 9.3)         \
  X(plan_half_group,   1.15,   "choice of lanes: times those of a row, half as many",          "2026-11-27-h200", 0)           \
  X(plan_life_us,      0.9,    "choice of threads: life of a block",                            "2026-11-21-h200", 0)           \
  X(plan_step_us,      0.45,   "choice of threads: a step",                                     "2026-11-21-h200", 0)           \
  X(plan_last_life,    0.2,    "choice of threads: of a life, the last",                        "2026-11-21-h200", 0)           \
  X(plan_lives,        0.02,   "choice of threads: of all lives one after the other, likewise", "2026-11-21-h200", 0)           \
  X(plan_start_us,     0.6,    "choice of threads: reading begun",                              "2026-11-21-h200", 0)           \
  X(plan_share,        0.97,   "choice of threads: of memory_gbs",                              "2026-11-21-h200", 0)           \
  X(plan_wait_us,      0.6,    "choice of threads: short rows wait",                            "2026-11-21-h200", 0)
// clang-format on
GPUOPT_FIGURES(ReduceRowsFigures, reduce_rows_figures, GPUOPT_REDUCE_ROWS_FIGURES)

}  // namespace gpuopt
