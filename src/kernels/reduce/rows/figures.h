// What rows cost that a group of threads reduces.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_ROWS_FIGURES(X)                                                                                           \
  /* name              value   what it is                                                        fitted to          error, % */ \
  X(launch_us,         3.979,  "reduce_rows: launch",                                           "2026-11-22-h200", 7.9)         \
  X(life_us,           0.1925, "of a block, its beginning and end",                             "2026-11-22-h200", 7.9)         \
  X(turn_us,           0.3961, "a turn of its vectors beyond the first",                        "2026-11-22-h200", 7.9)         \
  X(arg_life_us,       0.2455, "more of an ARG",                                                "2026-11-22-h200", 7.9)         \
  X(bytes_clocks,      204.3,  "more of 8-bit elements taken apart",                            "2026-11-22-h200", 7.9)         \
  X(extreme_bytes,     1.701,  "times that, MIN and MAX",                                       "2026-11-22-h200", 7.9)         \
  X(last_life,         0.2612, "of a life, the last",                                           "2026-11-22-h200", 7.9)         \
  X(alone_factor,      0.6995, "times the time to issue a block's instructions alone",          "2026-11-22-h200", 7.9)         \
  X(extreme_turn,      2.162,  "times a turn, MIN and MAX",                                     "2026-11-22-h200", 7.9)         \
  X(whole_turn,        1.098,  "times a turn, sums and ARGs of whole vectors",                  "2026-11-22-h200", 7.9)         \
  X(wait_us,           1.129,  "short rows of a block wait for each other at its barrier",      "2026-11-22-h200", 7.9)         \
  X(blocks,            2.62,   "of a multiprocessor at once, in effect",                        "2026-11-22-h200", 7.9)         \
  X(memory_share,      0.9803, "of memory_gbs",                                                 "2026-11-22-h200", 7.9)         \
  X(row_clocks,        221,    "of a scheduler, for each warp of a row",                        "2026-11-22-h200", 7.9)         \
  X(arg_clocks,        115.7,  "more of an ARG",                                                "2026-11-22-h200", 7.9)         \
  X(end_clocks,        31.66,  "more where a row has ends",                                     "2026-11-22-h200", 7.9)         \
  X(end_bytes,         0.8557, "times that, 8-bit types",                                       "2026-11-22-h200", 7.9)         \
  X(dot,               5.4,    "times a plain sum's element",                                   "2026-11-22-h200", 7.9)         \
  X(product,           2.303,  "times a plain sum's element",                                   "2026-11-22-h200", 7.9)         \
  X(extreme,           0.6793, "times a plain sum's element",                                   "2026-11-22-h200", 7.9)         \
  X(arg,               1.719,  "times a plain sum's element",                                   "2026-11-22-h200", 7.9)         \
  X(f64,               1.58,   "times that, f64",                                               "2026-11-22-h200", 7.9)         \
  X(integer,           2.645,  "times that, i32 and i64",                                       "2026-11-22-h200", 7.9)         \
  X(fp8,               1.453,  "more for an 8-bit float",                                       "2026-11-22-h200", 7.9)         \
  X(words,             0.08705, "more for an 8-bit integer, by words",                           "2026-11-22-h200", 7.9)         \
  X(bytes,             0.4804, "more for an 8-bit integer taken apart",                         "2026-11-22-h200", 7.9)         \
  X(half,              0.2402, "more for a 16-bit float",                                       "2026-11-22-h200", 7.9)         \
  X(group_launch_us,   4.596,  "reduce_rows_group: launch",                                     "2026-11-22-h200", 8.3)         \
  X(group_share,       0.9431, "reduce_rows_group: of memory_gbs",                              "2026-11-22-h200", 8.3)         \
  X(group_clocks,      56.96,  "of a scheduler, for the rows of a warp",                        "2026-11-22-h200", 8.3)         \
  X(group_step_clocks, 20.47,  "more for each step",                                            "2026-11-22-h200", 8.3)         \
  X(group_arg,         2.3,    "times that, ARG",                                               "2026-11-22-h200", 8.3)         \
  X(group_extreme,     1.233,  "times that, MIN and MAX",                                       "2026-11-22-h200", 8.3)         \
  X(group_product,     1.415,  "times that, PROD",                                              "2026-11-22-h200", 8.3)         \
  X(group_dot,         1.344,  "times that, DOT",                                               "2026-11-22-h200", 8.3)         \
  X(group_pieces,      1.5,    "times that, of rows that begin anywhere",                       "2026-11-22-h200", 8.3)         \
  X(group_any,         0.9449, "times that, by elements of types known at run time",            "2026-11-22-h200", 8.3)         \
  X(group_slow,        1.181,  "times that, 8-bit types and f64",                               "2026-11-22-h200", 8.3)         \
  X(group_rest_clocks, 65.11,  "a step of what is no whole vector",                             "2026-11-22-h200", 8.3)         \
  X(group_row_clocks,  2.673,  "a result",                                                      "2026-11-22-h200", 8.3)         \
  X(group_arg_clocks,  3.784,  "more for an index",                                             "2026-11-22-h200", 8.3)         \
  X(group_turn_us,     0.126,  "a step's wait",                                                 "2026-11-22-h200", 8.3)         \
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
