// What lines cost that are shared by blocks.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_LINE_FIGURES(X)                                                                                \
  /* name            value   what it is                                               fitted to          error, % */ \
  X(split_launch_us, 3.809,  "reduce_split_lines: launch",                           "2026-11-22-h200", 8.4)         \
  X(split_meet_us,   1.735,  "blocks of a line or row meet",                         "2026-11-22-h200", 8.4)         \
  X(life_us,         0.7013, "of a block, its beginning and end",                    "2026-11-22-h200", 8.4)         \
  X(turn_us,         0.214,  "a turn of its vectors",                                "2026-11-22-h200", 8.4)         \
  X(arg_life_us,     0.3803, "more of an ARG",                                       "2026-11-22-h200", 8.4)         \
  X(last_life,       0.2473, "of a life, the last",                                  "2026-11-22-h200", 8.4)         \
  X(alone_factor,    0.8322, "times the time to issue a block's instructions alone", "2026-11-22-h200", 8.4)         \
  X(split_blocks,    1.094,  "of a multiprocessor at once, in effect",               "2026-11-22-h200", 8.4)         \
  X(split_share,     0.9199, "of memory_gbs",                                        "2026-11-22-h200", 8.4)         \
  X(split_sum,       1.744,  "an element, instructions",                             "2026-11-22-h200", 8.4)         \
  X(split_dot,       0.921,  "an element, instructions",                             "2026-11-22-h200", 8.4)         \
  X(split_product,   2.96,   "an element, instructions",                             "2026-11-22-h200", 8.4)         \
  X(split_extreme,   1.145,  "an element, instructions",                             "2026-11-22-h200", 8.4)         \
  X(split_arg,       1.753,  "an element, instructions",                             "2026-11-22-h200", 8.4)         \
  X(split_f64,       2.032,  "times that, f64",                                      "2026-11-22-h200", 8.4)         \
  X(split_integer,   2.641,  "times that, i32 and i64",                              "2026-11-22-h200", 8.4)         \
  X(split_fp8,       2.787,  "more for an 8-bit float",                              "2026-11-22-h200", 8.4)         \
  X(split_words,     0.6588, "more for an 8-bit integer, by words",                  "2026-11-22-h200", 8.4)         \
  X(split_bytes,     1.659,  "more for an 8-bit integer taken apart",                "2026-11-22-h200", 8.4)         \
  X(split_half,      0.4792, "more for a 16-bit float",                              "2026-11-22-h200", 8.4)         \
  X(whole_launch_us, 3.466,  "reduce_one_launch: launch",                            "2026-11-22-h200", 5.1)         \
  X(rows_launch_us,  3.2,    "reduce_one_launch: launch, rows in a grid",            "2026-11-22-h200", 5.1)         \
  X(whole_end_us,    0.4872, "the last block's end",                                 "2026-11-22-h200", 5.1)         \
  X(whole_arg_end,   1.227,  "times that of an ARG",                                 "2026-11-22-h200", 5.1)         \
  X(whole_meet_us,   0.8942, "reduce_one_launch: blocks meet",                       "2026-11-22-h200", 5.1)         \
  X(whole_wide_us,   0.8915, "more where they are two a multiprocessor",             "2026-11-22-h200", 5.1)         \
  X(whole_share,     0.9373, "reduce_one_launch: of memory_gbs",                     "2026-11-22-h200", 5.1)         \
  X(alone_gbs,       67.68,  "what one block reads alone",                           "2026-11-22-h200", 5.1)         \
  X(whole_sum,       2.624,  "an element of a plain sum, instructions",              "2026-11-22-h200", 5.1)         \
  X(whole_extreme,   1.871,  "times a plain sum's element",                          "2026-11-22-h200", 5.1)         \
  X(whole_arg,       2.337,  "times a plain sum's element",                          "2026-11-22-h200", 5.1)         \
  X(whole_f64,       1.504,  "times that, f64",                                      "2026-11-22-h200", 5.1)         \
  X(whole_integer,   1.573,  "times that, i32 and i64",                              "2026-11-22-h200", 5.1)         \
  X(whole_fp8,       7.156,  "more for an 8-bit float",                              "2026-11-22-h200", 5.1)         \
  X(whole_words,     1.181,  "more for an 8-bit integer, by words",                  "2026-11-22-h200", 5.1)         \
  X(whole_bytes,     3.096,  "more for an 8-bit integer taken apart",                "2026-11-22-h200", 5.1)         \
  X(whole_half,      1.299,  "more for a 16-bit float",                              "2026-11-22-h200", 5.1)
// clang-format on
GPUOPT_FIGURES(ReduceLineFigures, reduce_line_figures, GPUOPT_REDUCE_LINE_FIGURES)

}  // namespace gpuopt
