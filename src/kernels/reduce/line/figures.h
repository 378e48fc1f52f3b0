// What lines cost that are shared by blocks.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_LINE_FIGURES(X)                                                                                \
  /* name            value   what it is                                               fitted to          error, % */ \
  X(split_launch_us, 3.68,   "reduce_split_lines: launch",                           "2026-11-27-h200", 10.2)        \
  X(split_meet_us,   2.11,   "blocks of a line or row meet",                         "2026-11-27-h200", 5.2)         \
  X(life_us,          0.729, "of a block, its beginning and end",                    "2026-11-27-h200", 10.2)        \
  X(turn_us,         0.151,  "a turn of its vectors",                                "2026-11-27-h200", 10.2)        \
  X(arg_life_us,      0.306, "more of an ARG",                                       "2026-11-27-h200", 13.9)        \
  X(last_life,        0.232, "of a life, the last",                                  "2026-11-27-h200", 10.2)        \
  X(alone_factor,     0.659, "times the time to issue a block's instructions alone", "2026-11-27-h200", 10.2)        \
  X(split_blocks,    1.04,   "of a multiprocessor at once, in effect",               "2026-11-27-h200", 10.6)        \
  X(split_share,      0.938, "of memory_gbs",                                        "2026-11-27-h200", 10.1)        \
  X(split_sum,       1.91,   "an element, instructions",                             "2026-11-27-h200", 5.5)         \
  X(split_dot,       0.923,  "an element, instructions",                             "2026-11-27-h200", 26.6)        \
  X(split_product,   2.5,    "an element, instructions",                             "2026-11-27-h200", 31.2)        \
  X(split_extreme,   1.1,    "an element, instructions",                             "2026-11-27-h200", 13.6)        \
  X(split_arg,       1.61,   "an element, instructions",                             "2026-11-27-h200", 13.9)        \
  X(split_f64,       2.02,   "times that, f64",                                      "2026-11-27-h200", 7.4)         \
  X(split_integer,   2.91,   "times that, i32 and i64",                              "2026-11-27-h200", 6.2)         \
  X(split_fp8,       3.05,   "more for an 8-bit float",                              "2026-11-27-h200", 8.7)         \
  X(split_words,      0.638, "more for an 8-bit integer, by words",                  "2026-11-27-h200", 7.4)         \
  X(split_bytes,     1.34,   "more for an 8-bit integer taken apart",                "2026-11-27-h200", 41.1)        \
  X(split_half,       0.482, "more for a 16-bit float",                              "2026-11-27-h200", 8.1)         \
  X(whole_launch_us, 3.46,   "reduce_one_launch: launch",                            "2026-11-27-h200", 4.9)         \
  X(rows_launch_us,  2.92,   "reduce_one_launch: launch, rows in a grid",            "2026-11-27-h200", 4.0)         \
  X(whole_end_us,     0.493, "the last block's end",                                 "2026-11-27-h200", 4.8)         \
  X(whole_arg_end,   1.36,   "times that of an ARG",                                 "2026-11-27-h200", 6.4)         \
  X(whole_meet_us,     1.02, "reduce_one_launch: blocks meet",                       "2026-11-27-h200", 4.5)         \
  X(whole_wide_us,    0.899, "more where they are two a multiprocessor",             "2026-11-27-h200", 4.5)         \
  X(whole_share,      0.952, "reduce_one_launch: of memory_gbs",                     "2026-11-27-h200", 4.3)         \
  X(alone_gbs,       68.3,   "what one block reads alone",                           "2026-11-27-h200", 9.2)         \
  X(whole_sum,       2.66,   "an element of a plain sum, instructions",              "2026-11-27-h200", 4.6)         \
  X(whole_extreme,   2.38,   "times a plain sum's element",                          "2026-11-27-h200", 4.3)         \
  X(whole_arg,       2.3,    "times a plain sum's element",                          "2026-11-27-h200", 6.4)         \
  X(whole_f64,       1.51,   "times that, f64",                                      "2026-11-27-h200", 2.7)         \
  X(whole_integer,   1.6,    "times that, i32 and i64",                              "2026-11-27-h200", 6.9)         \
  X(whole_fp8,       6.51,   "more for an 8-bit float",                              "2026-11-27-h200", 3.9)         \
  X(whole_words,     1.1,    "more for an 8-bit integer, by words",                  "2026-11-27-h200", 4.1)         \
  X(whole_bytes,     3.79,   "more for an 8-bit integer taken apart",                "2026-11-27-h200", 11.4)        \
  X(whole_half,      1.27,   "more for a 16-bit float",                              "2026-11-27-h200", 4.4)
// clang-format on
GPUOPT_FIGURES(ReduceLineFigures, reduce_line_figures, GPUOPT_REDUCE_LINE_FIGURES)

}  // namespace gpuopt
