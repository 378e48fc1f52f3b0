// What column reductions cost.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_COLUMNS_FIGURES(X)                                                                               \
  /* name             value    what it is                                               fitted to          error, % */ \
  X(launch_us,        4.52,    "launch",                                               "2026-11-27-h200", 9.2)         \
  X(plain_us,         0.591,   "less where sums are plain",                            "2026-11-27-h200", 5.1)         \
  X(cluster_us,       1.11,    "blocks of a cluster meet",                             "2026-11-27-h200", 8.4)         \
  X(meet_us,          1.32,    "clusters of a strip meet",                             "2026-11-27-h200", 6.9)         \
  X(gather_us,        0.108,   "a word of a partial, of a thread of the last block",   "2026-11-27-h200", 6.2)         \
  X(arg_gather_us,    0.239,   "the same of an ARG",                                   "2026-11-27-h200", 9.3)         \
  X(life_us,          0.282,   "of a block, its beginning and end",                    "2026-11-27-h200", 9.2)         \
  X(turn_us,          0.342,   "a turn of its rows beyond the first",                  "2026-11-27-h200", 9.0)         \
  X(thread_life_us,   0.742,   "more of one of 512 threads",                           "2026-11-27-h200", 9.2)         \
  X(alone_factor,     0.191,   "times the time to issue a block's instructions alone", "2026-11-27-h200", 9.2)         \
  X(arg_life_us,      1.11,    "more where an ARG's threads are joined",               "2026-11-27-h200", 9.7)         \
  X(last_life,        0.153,   "of a life, the last",                                  "2026-11-27-h200", 9.2)         \
  X(memory_share,     0.895,   "of memory_gbs",                                        "2026-11-27-h200", 9.2)         \
  X(any_phase_factor, 1.08,    "times the instructions, rows that begin anywhere",     "2026-11-27-h200", 8.7)         \
  X(y_elements,       7.4,     "more for an element of y by itself",                   "2026-11-27-h200", 18.3)        \
  X(y_transposed,     12.2,    "more where y is of the other layout",                  "2026-11-27-h200", 11.7)        \
  X(mapped_bytes,     1.58,    "more for squares and magnitudes of 8-bit integers",    "2026-11-27-h200", 11.2)        \
  X(join_us,          0.121,   "1024 words of partials joined in a block",             "2026-11-27-h200", 9.2)         \
  X(block_us,         0.847,   "a block of 512, of a multiprocessor",                  "2026-11-27-h200", 9.2)         \
  X(output_ns,          0.087, "a result, of a multiprocessor",                        "2026-11-27-h200", 9.2)         \
  X(arg_output_ns,    0.24,    "more for an index",                                    "2026-11-27-h200", 9.7)         \
  X(dot,              6.39,    "times a plain sum's element",                          "2026-11-27-h200", 13.3)        \
  X(product,          1.65,    "times a plain sum's element",                          "2026-11-27-h200", 10.8)        \
  X(extreme,          1.46,    "times a plain sum's element",                          "2026-11-27-h200", 7.9)         \
  X(arg,              5.49,    "times a plain sum's element",                          "2026-11-27-h200", 9.7)         \
  X(f64,              1.61,    "times that, f64",                                      "2026-11-27-h200", 9.2)         \
  X(integer,          1.23,    "times that, i32 and i64",                              "2026-11-27-h200", 9.7)         \
  X(fp8,              1.83,    "more for an 8-bit float",                              "2026-11-27-h200", 8.9)         \
  X(words,            0.424,   "more for an 8-bit integer, by words",                  "2026-11-27-h200", 11.2)        \
  X(bytes,            0.772,   "more for an 8-bit integer taken apart",                "2026-11-27-h200", 10.6)        \
  X(half,             0.675,   "more for a 16-bit float",                              "2026-11-27-h200", 8.0)         \
  X(plan_share,       0.908,   "choice of a cut: of memory_gbs",                       "2026-11-27-h200", 7)           \
  X(plan_lines,       0.165,   "choice of a cut: of lines that strips share",          "2026-11-27-h200", 7)           \
  X(plan_idle,        0.333,   "choice of a cut: more where multiprocessors are idle", "2026-11-27-h200", 7)           \
  X(plan_turn_us,     0.45,    "choice of a cut: a turn of a block",                   "2026-11-27-h200", 7)           \
  X(plan_more_us,     0.504,   "choice of a cut: more than one turn",                  "2026-11-27-h200", 7)           \
  X(plan_cluster_us,  0.841,   "choice of a cut: the blocks of a cluster meet",        "2026-11-27-h200", 7)           \
  X(plan_meet_us,     2.38,    "choice of a cut: clusters meet",                       "2026-11-27-h200", 7)           \
  X(plan_ask_us,      0.6,     "choice of a cut: eight partials of a column, asked for", "2026-11-27-h200", 7)
// clang-format on
GPUOPT_FIGURES(ReduceColumnsFigures, reduce_columns_figures, GPUOPT_REDUCE_COLUMNS_FIGURES)

}  // namespace gpuopt
