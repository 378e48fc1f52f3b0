// What column reductions cost.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_COLUMNS_FIGURES(X)                                                                               \
  /* name             value    what it is                                               fitted to          error, % */ \
  X(launch_us,        3.13,    "launch",                                                    "2026-11-28", 11.4)        \
  X(plain_us,         0.557,   "less where sums are plain",                                 "2026-11-28", 8.7)         \
  X(few_us,           0.44,    "less where no thread has a second row",                     "2026-11-28", 14.7)        \
  X(few_launch_us,    1.85,    "launch, where a thread has all rows",                     "2026-11-28", 9.6)           \
  X(few_share,        0.737,   "of memory_gbs, where a thread has all rows",              "2026-11-28", 9.6)           \
  X(cluster_us,       1.65,    "blocks of a cluster meet",                                  "2026-11-28", 10.7)        \
  X(meet_us,          1.28,    "clusters of a strip meet",                                  "2026-11-28", 10.4)        \
  X(gather_us,        0.0796,  "a word of a partial, of a thread of the last block",        "2026-11-28", 10.6)        \
  X(arg_gather_us,    0.21,    "the same of an ARG",                                        "2026-11-28", 9.1)         \
  X(life_us,          0.193,   "of a block, its beginning and end",                         "2026-11-28", 11.4)        \
  X(turn_us,          0.444,   "a turn of its rows beyond the first",                       "2026-11-28", 11.1)        \
  X(thread_life_us,   1.13,    "more of one of 512 threads",                                "2026-11-28", 11.4)        \
  X(alone_factor,     0.137,   "times the time to issue a block's instructions alone", "2026-11-28", 11.4)             \
  X(arg_life_us,      0.637,   "more where an ARG's threads are joined",                    "2026-11-28", 14.0)        \
  X(last_life,        0.0891,  "of a life, the last",                                       "2026-11-28", 11.4)        \
  X(memory_share,     0.871,   "of memory_gbs",                                             "2026-11-28", 11.4)        \
  X(any_phase_factor, 1.22,    "times the instructions, rows that begin anywhere",          "2026-11-28", 11.4)        \
  X(y_elements,       9.11,    "more for an element of y by itself",                        "2026-11-28", 14.4)        \
  X(y_transposed,     17,      "more where y is of the other layout",                       "2026-11-28", 9.1)         \
  X(mapped_bytes,     2.16,    "more for squares and magnitudes of 8-bit integers",         "2026-11-28", 16.8)        \
  X(join_us,          0.152,   "1024 words of partials joined in a block",                  "2026-11-28", 11.4)        \
  X(block_us,         1.21,    "a block of 512, of a multiprocessor",                       "2026-11-28", 11.4)        \
  X(output_ns,         0.0831, "a result, of a multiprocessor",                             "2026-11-28", 11.4)        \
  X(arg_output_ns,    0.244,   "more for an index",                                         "2026-11-28", 14.0)        \
  X(dot,              5.89,    "times a plain sum's element",                               "2026-11-28", 12.3)        \
  X(product,          1.67,    "times a plain sum's element",                               "2026-11-28", 15.0)        \
  X(extreme,          1.33,    "times a plain sum's element",                               "2026-11-28", 9.4)         \
  X(arg,              5.41,    "times a plain sum's element",                               "2026-11-28", 14.0)        \
  X(f64,              2.38,    "times that, f64",                                           "2026-11-28", 8.4)         \
  X(integer,          1.77,    "times that, i32 and i64",                                   "2026-11-28", 10.8)        \
  X(fp8,              1.66,    "more for an 8-bit float",                                   "2026-11-28", 14.7)        \
  X(words,            0.485,   "more for an 8-bit integer, by words",                       "2026-11-28", 15.6)        \
  X(bytes,            0.817,   "more for an 8-bit integer taken apart",                     "2026-11-28", 19.3)        \
  X(half,             0.454,   "more for a 16-bit float",                                   "2026-11-28", 9.4)         \
  X(plan_share,       0.858,   "choice of a cut: of memory_gbs",                            "2026-11-28", 10.3)        \
  X(plan_lines,       0.17,    "choice of a cut: of lines that strips share",               "2026-11-28", 8.8)         \
  X(plan_idle,        0.344,   "choice of a cut: more where multiprocessors are idle", "2026-11-28", 10.3)             \
  X(plan_turn_us,     0.457,   "choice of a cut: a turn of a block",                        "2026-11-28", 10.7)        \
  X(plan_more_us,     0.503,   "choice of a cut: more than one turn",                       "2026-11-28", 13.2)        \
  X(plan_cluster_us,  0.835,   "choice of a cut: the blocks of a cluster meet",             "2026-11-28", 8.9)         \
  X(plan_meet_us,     2.35,    "choice of a cut: clusters meet",                            "2026-11-28", 11.3)        \
  X(plan_ask_us,      0.597,   "choice of a cut: eight partials of a column, asked for", "2026-11-28", 8.1)
// clang-format on
GPUOPT_FIGURES(ReduceColumnsFigures, reduce_columns_figures, GPUOPT_REDUCE_COLUMNS_FIGURES)

}  // namespace gpuopt
