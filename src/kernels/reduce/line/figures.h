// What lines cost that are shared by blocks.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_LINE_FIGURES(X)                                                                                \
  /* name            value   what it is                                               fitted to          error, % */ \
  X(split_launch_us, 2.26,   "reduce_split_lines: launch",                                "2026-11-28", 7.8)         \
  X(split_meet_us,   2.19,   "blocks of a line or row meet",                              "2026-11-28", 5.1)         \
  X(life_us,          0.462, "of a block, its beginning and end",                         "2026-11-28", 7.8)         \
  X(turn_us,         0.0912, "a turn of its vectors",                                     "2026-11-28", 7.8)         \
  X(arg_life_us,      0.199, "more of an ARG",                                            "2026-11-28", 10.2)        \
  X(last_life,         0.29, "of a life, the last",                                       "2026-11-28", 7.8)         \
  X(alone_factor,      0.44, "times the time to issue a block's instructions alone", "2026-11-28", 7.8)              \
  X(split_blocks,    0.621,  "of a multiprocessor at once, in effect",                    "2026-11-28", 7.4)         \
  X(split_share,      0.938, "of memory_gbs",                                             "2026-11-28", 7.7)         \
  X(split_sum,       2.42,   "an element, instructions",                                  "2026-11-28", 5.5)         \
  X(split_dot,       0.882,  "an element, instructions",                                  "2026-11-28", 9.2)         \
  X(split_product,   1.59,   "an element, instructions",                                  "2026-11-28", 21.8)        \
  X(split_extreme,   0.85,   "an element, instructions",                                  "2026-11-28", 8.5)         \
  X(split_arg,       1.46,   "an element, instructions",                                  "2026-11-28", 10.2)        \
  X(split_f64,       2.15,   "times that, f64",                                           "2026-11-28", 6.3)         \
  X(split_integer,   3.67,   "times that, i32 and i64",                                   "2026-11-28", 8.6)         \
  X(split_fp8,       2.17,   "more for an 8-bit float",                                   "2026-11-28", 8.6)         \
  X(split_words,      0.455, "more for an 8-bit integer, by words",                       "2026-11-28", 5.7)         \
  X(split_bytes,     1.23,   "more for an 8-bit integer taken apart",                     "2026-11-28", 19.7)        \
  X(split_half,       0.501, "more for a 16-bit float",                                   "2026-11-28", 6.0)         \
  X(whole_launch_us, 2.06,   "reduce_one_launch: launch",                                 "2026-11-28", 5.2)         \
  X(rows_launch_us,  1.48,   "reduce_one_launch: launch, rows in a grid",                 "2026-11-28", 4.1)         \
  X(whole_end_us,     0.427, "the last block's end",                                      "2026-11-28", 5.2)         \
  X(whole_arg_end,   1.79,   "times that of an ARG",                                      "2026-11-28", 6.3)         \
  X(whole_meet_us,    0.831, "reduce_one_launch: blocks meet",                            "2026-11-28", 4.8)         \
  X(whole_wide_us,     1.17, "more where they are two a multiprocessor",                  "2026-11-28", 4.8)         \
  X(whole_share,      0.944, "reduce_one_launch: of memory_gbs",                          "2026-11-28", 4.6)         \
  X(alone_gbs,       97.8,   "what one block reads alone",                                "2026-11-28", 11.1)        \
  X(whole_sum,       2.03,   "an element of a plain sum, instructions",                   "2026-11-28", 5.0)         \
  X(whole_extreme,   2.67,   "times a plain sum's element",                               "2026-11-28", 3.9)         \
  X(whole_arg,       3.02,   "times a plain sum's element",                               "2026-11-28", 6.2)         \
  X(whole_f64,       1.52,   "times that, f64",                                           "2026-11-28", 4.3)         \
  X(whole_integer,   1.75,   "times that, i32 and i64",                                   "2026-11-28", 6.9)         \
  X(whole_fp8,       7,      "more for an 8-bit float",                                   "2026-11-28", 6.1)         \
  X(whole_words,     0.883,  "more for an 8-bit integer, by words",                       "2026-11-28", 3.2)         \
  X(whole_bytes,     5.34,   "more for an 8-bit integer taken apart",                     "2026-11-28", 11.9)        \
  X(whole_half,      1.14,   "more for a 16-bit float",                                   "2026-11-28", 3.8)
// clang-format on
GPUOPT_FIGURES(ReduceLineFigures, reduce_line_figures, GPUOPT_REDUCE_LINE_FIGURES)

}  // namespace gpuopt
