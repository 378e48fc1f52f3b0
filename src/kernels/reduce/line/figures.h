// What lines cost that are shared by blocks.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_LINE_FIGURES(X)                                                                                \
  /* name            value   what it is                                               fitted to          error, % */ \
  X(split_launch_us, 2.07,   "reduce_split_lines: launch",                                "2026-11-28", 8.2)         \
  X(split_meet_us,   2.34,   "blocks of a line or row meet",                              "2026-11-28", 5.6)         \
  X(life_us,          0.548, "of a block, its beginning and end",                         "2026-11-28", 8.2)         \
  X(turn_us,         0.109,  "a turn of its vectors",                                     "2026-11-28", 8.2)         \
  X(arg_life_us,      0.266, "more of an ARG",                                            "2026-11-28", 9.0)         \
  X(last_life,        0.237, "of a life, the last",                                       "2026-11-28", 8.2)         \
  X(alone_factor,     0.507, "times the time to issue a block's instructions alone", "2026-11-28", 8.2)              \
  X(split_blocks,    0.753,  "of a multiprocessor at once, in effect",                    "2026-11-28", 8.1)         \
  X(split_share,      0.933, "of memory_gbs",                                             "2026-11-28", 8.2)         \
  X(split_sum,       2.4,    "an element, instructions",                                  "2026-11-28", 6.2)         \
  X(split_dot,       0.902,  "an element, instructions",                                  "2026-11-28", 10.9)        \
  X(split_product,   1.96,   "an element, instructions",                                  "2026-11-28", 18.2)        \
  X(split_extreme,   0.98,   "an element, instructions",                                  "2026-11-28", 9.9)         \
  X(split_arg,       1.45,   "an element, instructions",                                  "2026-11-28", 9.0)         \
  X(split_f64,       2.09,   "times that, f64",                                           "2026-11-28", 5.6)         \
  X(split_integer,   3.03,   "times that, i32 and i64",                                   "2026-11-28", 7.1)         \
  X(split_fp8,       2.45,   "more for an 8-bit float",                                   "2026-11-28", 8.1)         \
  X(split_words,      0.544, "more for an 8-bit integer, by words",                       "2026-11-28", 7.2)         \
  X(split_bytes,     1.31,   "more for an 8-bit integer taken apart",                     "2026-11-28", 20.3)        \
  X(split_half,       0.492, "more for a 16-bit float",                                   "2026-11-28", 8.3)         \
  X(whole_launch_us, 2.48,   "reduce_one_launch: launch",                                 "2026-11-28", 6.9)         \
  X(rows_launch_us,  1.87,   "reduce_one_launch: launch, rows in a grid",                 "2026-11-28", 4.9)         \
  X(whole_end_us,     0.428, "the last block's end",                                      "2026-11-28", 6.8)         \
  X(whole_arg_end,   1.42,   "times that of an ARG",                                      "2026-11-28", 6.8)         \
  X(whole_meet_us,    0.684, "reduce_one_launch: blocks meet",                            "2026-11-28", 5.6)         \
  X(whole_wide_us,    0.997, "more where they are two a multiprocessor",                  "2026-11-28", 5.6)         \
  X(whole_share,      0.948, "reduce_one_launch: of memory_gbs",                          "2026-11-28", 5.2)         \
  X(alone_gbs,       86.6,   "what one block reads alone",                                "2026-11-28", 17.1)        \
  X(whole_sum,       2.38,   "an element of a plain sum, instructions",                   "2026-11-28", 5.9)         \
  X(whole_extreme,   2.71,   "times a plain sum's element",                               "2026-11-28", 5.2)         \
  X(whole_arg,       2.67,   "times a plain sum's element",                               "2026-11-28", 6.8)         \
  X(whole_f64,       1.51,   "times that, f64",                                           "2026-11-28", 4.2)         \
  X(whole_integer,   1.66,   "times that, i32 and i64",                                   "2026-11-28", 6.9)         \
  X(whole_fp8,       6.69,   "more for an 8-bit float",                                   "2026-11-28", 6.7)         \
  X(whole_words,     0.959,  "more for an 8-bit integer, by words",                       "2026-11-28", 5.7)         \
  X(whole_bytes,     4.46,   "more for an 8-bit integer taken apart",                     "2026-11-28", 10.4)        \
  X(whole_half,      1.24,   "more for a 16-bit float",                                   "2026-11-28", 4.4)
// clang-format on
GPUOPT_FIGURES(ReduceLineFigures, reduce_line_figures, GPUOPT_REDUCE_LINE_FIGURES)

}  // namespace gpuopt
