// What column reductions cost.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_COLUMNS_FIGURES(X)                                                                               \
  /* name             value    what it is                                               fitted to          error, % */ \
  X(launch_us,        4.592,   "launch",                                               "2026-11-22-h200", 11.1)        \
  X(meet_us,          0.9723,  "splits meet",                                          "2026-11-22-h200", 11.1)        \
  X(gather_us,        0.1137,  "a word of a partial, of a thread of the last block",   "2026-11-22-h200", 11.1)        \
  X(arg_gather_us,    0.2147,  "the same of an ARG",                                   "2026-11-22-h200", 11.1)        \
  X(life_us,          0.3497,  "of a block, its beginning and end",                    "2026-11-22-h200", 11.1)        \
  X(turn_us,          0.2785,  "a turn of its rows beyond the first",                  "2026-11-22-h200", 11.1)        \
  X(thread_life_us,   0.7291,  "more of one of 512 threads",                           "2026-11-22-h200", 11.1)        \
  X(alone_factor,     0.1842,  "times the time to issue a block's instructions alone", "2026-11-22-h200", 11.1)        \
  X(arg_life_us,      0.9915,  "more where an ARG's threads are joined",               "2026-11-22-h200", 11.1)        \
  X(last_life,        0.1372,  "of a life, the last",                                  "2026-11-22-h200", 11.1)        \
  X(memory_share,     0.8649,  "of memory_gbs",                                        "2026-11-22-h200", 11.1)        \
  X(any_phase_factor, 1.217,   "times the instructions, rows that begin anywhere",     "2026-11-22-h200", 11.1)        \
  X(y_elements,       6.438,   "more for an element of y by itself",                   "2026-11-22-h200", 11.1)        \
  X(y_transposed,     12.32,   "more where y is of the other layout",                  "2026-11-22-h200", 11.1)        \
  X(mapped_bytes,     1.532,   "more for squares and magnitudes of 8-bit integers",    "2026-11-22-h200", 11.1)        \
  X(join_us,          0.1009,  "1024 words of partials joined in a block",             "2026-11-22-h200", 11.1)        \
  X(block_us,         0.8526,  "a block of 512, of a multiprocessor",                  "2026-11-22-h200", 11.1)        \
  X(output_ns,        0.08679, "a result, of a multiprocessor",                        "2026-11-22-h200", 11.1)        \
  X(arg_output_ns,    0.2388,  "more for an index",                                    "2026-11-22-h200", 11.1)        \
  X(dot,              6.548,   "times a plain sum's element",                          "2026-11-22-h200", 11.1)        \
  X(product,          1.564,   "times a plain sum's element",                          "2026-11-22-h200", 11.1)        \
  X(extreme,          1.683,   "times a plain sum's element",                          "2026-11-22-h200", 11.1)        \
  X(arg,              5.61,    "times a plain sum's element",                          "2026-11-22-h200", 11.1)        \
  X(f64,              1.621,   "times that, f64",                                      "2026-11-22-h200", 11.1)        \
  X(integer,          1.082,   "times that, i32 and i64",                              "2026-11-22-h200", 11.1)        \
  X(fp8,              1.479,   "more for an 8-bit float",                              "2026-11-22-h200", 11.1)        \
  X(words,            0.4201,  "more for an 8-bit integer, by words",                  "2026-11-22-h200", 11.1)        \
  X(bytes,            0.9479,  "more for an 8-bit integer taken apart",                "2026-11-22-h200", 11.1)        \
  X(half,             0.6852,  "more for a 16-bit float",                              "2026-11-22-h200", 11.1)        \
  X(plan_share,       0.9545,  "choice of a cut: of memory_gbs",                       "2026-11-27-h200", 4.7)         \
  X(plan_narrow,      0.3148,  "choice of a cut: more of strips below a line",         "2026-11-27-h200", 4.7)         \
  X(plan_turn_us,     0.5412,  "choice of a cut: a turn of a block",                   "2026-11-27-h200", 4.7)         \
  X(plan_line_us,     0.000159, "choice of a cut: a line that it asks for",            "2026-11-27-h200", 4.7)         \
  X(plan_more_us,     0.6914,  "choice of a cut: more than one turn",                  "2026-11-27-h200", 4.7)         \
  X(plan_meet_us,     0.5766,  "choice of a cut: splits meet",                         "2026-11-27-h200", 4.7)         \
  X(plan_ask_us,      1.197,   "choice of a cut: eight partials of a column, asked for", "2026-11-27-h200", 4.7)
// clang-format on
GPUOPT_FIGURES(ReduceColumnsFigures, reduce_columns_figures, GPUOPT_REDUCE_COLUMNS_FIGURES)

}  // namespace gpuopt
