// What column reductions cost.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_COLUMNS_FIGURES(X)                                                                               \
  /* name             value    what it is                                               fitted to          error, % */ \
  X(launch_us,        3.1,     "launch",                                                    "2026-11-28", 11.7)        \
  X(plain_us,         0.586,   "less where sums are plain",                                 "2026-11-28", 7.1)         \
  X(few_us,           0.373,   "less where no thread has a second row",                     "2026-11-28", 13.8)        \
  X(few_launch_us,    1.9,     "launch, where a thread has all rows",                       "derived",    0)           \
  X(few_share,        0.85,    "of memory_gbs, where a thread has all rows",                "derived",    0)           \
  X(cluster_us,       1.4,     "blocks of a cluster meet",                                  "2026-11-28", 10.3)        \
  X(meet_us,          1.29,    "clusters of a strip meet",                                  "2026-11-28", 9.3)         \
  X(gather_us,        0.0809,  "a word of a partial, of a thread of the last block",        "2026-11-28", 9.5)         \
  X(arg_gather_us,    0.224,   "the same of an ARG",                                        "2026-11-28", 7.7)         \
  X(life_us,          0.216,   "of a block, its beginning and end",                         "2026-11-28", 11.7)        \
  X(turn_us,          0.34,    "a turn of its rows beyond the first",                       "2026-11-28", 11.0)        \
  X(thread_life_us,   0.887,   "more of one of 512 threads",                                "2026-11-28", 11.7)        \
  X(alone_factor,     0.169,   "times the time to issue a block's instructions alone", "2026-11-28", 11.7)             \
  X(arg_life_us,      0.787,   "more where an ARG's threads are joined",                    "2026-11-28", 18.1)        \
  X(last_life,        0.122,   "of a life, the last",                                       "2026-11-28", 11.7)        \
  X(memory_share,     0.854,   "of memory_gbs",                                             "2026-11-28", 11.7)        \
  X(any_phase_factor, 1.17,    "times the instructions, rows that begin anywhere",          "2026-11-28", 11.8)        \
  X(y_elements,       10.2,    "more for an element of y by itself",                        "2026-11-28", 11.9)        \
  X(y_transposed,     11.1,    "more where y is of the other layout",                       "2026-11-28", 28.5)        \
  X(mapped_bytes,     1.9,     "more for squares and magnitudes of 8-bit integers",         "2026-11-28", 15.2)        \
  X(join_us,          0.129,   "1024 words of partials joined in a block",                  "2026-11-28", 11.7)        \
  X(block_us,         1.26,    "a block of 512, of a multiprocessor",                       "2026-11-28", 11.7)        \
  X(output_ns,         0.0866, "a result, of a multiprocessor",                             "2026-11-28", 11.7)        \
  X(arg_output_ns,    0.232,   "more for an index",                                         "2026-11-28", 18.1)        \
  X(dot,              5.08,    "times a plain sum's element",                               "2026-11-28", 13.1)        \
  X(product,          3.35,    "times a plain sum's element",                               "2026-11-28", 18.8)        \
  X(extreme,          1.66,    "times a plain sum's element",                               "2026-11-28", 8.3)         \
  X(arg,              5.09,    "times a plain sum's element",                               "2026-11-28", 18.1)        \
  X(f64,              2.2,     "times that, f64",                                           "2026-11-28", 9.9)         \
  X(integer,          2.26,    "times that, i32 and i64",                                   "2026-11-28", 15.2)        \
  X(fp8,              1.36,    "more for an 8-bit float",                                   "2026-11-28", 13.1)        \
  X(words,            0.379,   "more for an 8-bit integer, by words",                       "2026-11-28", 11.2)        \
  X(bytes,            0.639,   "more for an 8-bit integer taken apart",                     "2026-11-28", 10.0)        \
  X(half,             0.667,   "more for a 16-bit float",                                   "2026-11-28", 11.9)        \
  X(plan_share,       0.901,   "choice of a cut: of memory_gbs",                            "2026-11-28", 10.5)        \
  X(plan_lines,       0.165,   "choice of a cut: of lines that strips share",               "2026-11-28", 10.2)        \
  X(plan_idle,        0.333,   "choice of a cut: more where multiprocessors are idle", "2026-11-28", 7.9)              \
  X(plan_turn_us,     0.449,   "choice of a cut: a turn of a block",                        "2026-11-28", 9.8)         \
  X(plan_more_us,     0.503,   "choice of a cut: more than one turn",                       "2026-11-28", 2.1)         \
  X(plan_cluster_us,  0.839,   "choice of a cut: the blocks of a cluster meet",             "2026-11-28", 6.3)         \
  X(plan_meet_us,     2.35,    "choice of a cut: clusters meet",                            "2026-11-28", 10.2)        \
  X(plan_ask_us,      0.596,   "choice of a cut: eight partials of a column, asked for", "2026-11-28", 6.2)
// clang-format on
GPUOPT_FIGURES(ReduceColumnsFigures, reduce_columns_figures, GPUOPT_REDUCE_COLUMNS_FIGURES)

}  // namespace gpuopt
