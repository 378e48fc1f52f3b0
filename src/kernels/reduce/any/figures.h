// What reductions of any matrix by chunks cost.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_ANY_FIGURES(X)                                                                                       \
  /* name                 value    what it is                                               fitted to          error, % */ \
  X(launch_us,            3.69,    "launch",                                               "2026-11-23-h200", 9.6)         \
  X(second_launch_us,     3.11,    "the second, where partials are combined",              "2026-11-23-h200", 8.7)         \
  X(life_us,              0.238,   "of a block, its beginning and end",                    "2026-11-23-h200", 9.6)         \
  X(turn_us,              1.1,     "a turn of its chunks",                                 "2026-11-23-h200", 9.6)         \
  X(last_life,            0.0953,  "of a life, the last",                                  "2026-11-23-h200", 9.6)         \
  X(whole_share,          0.904,   "of memory_gbs, whole chunks",                          "2026-11-23-h200", 8.8)         \
  X(pieces_share,         1,       "of memory_gbs, element by element",                    "2026-11-23-h200", 9.3)         \
  X(pieces_factor,        1.36,    "times the instructions, element by element",           "2026-11-23-h200", 9.7)         \
  X(columns_factor,       0.757,   "times the instructions, down columns",                 "2026-11-23-h200", 10.3)        \
  X(column_pieces_share,  0.427,   "of memory_gbs, element by element down columns",       "2026-11-23-h200", 11.7)        \
  X(column_pieces_factor, 2.04,    "times the instructions, likewise",                     "2026-11-23-h200", 11.8)        \
  X(gather_us,            0.175,   "a partial of a thread that combines them",             "2026-11-23-h200", 8.7)         \
  X(alone_factor,         1.34,    "times the time to issue a block's instructions alone", "2026-11-23-h200", 9.6)         \
  X(transposed_factor,    7.53,    "times the instructions, y of the other layout",        "2026-11-23-h200", 34.6)        \
  X(block_us,             0.722,   "a block, of a multiprocessor",                         "2026-11-23-h200", 9.6)         \
  X(output_ns,             0.0855, "a result, of a multiprocessor",                        "2026-11-23-h200", 9.5)         \
  X(dot,                  2.02,    "times a plain sum's element",                          "2026-11-23-h200", 12.0)        \
  X(product,              0.715,   "times a plain sum's element",                          "2026-11-23-h200", 6.1)         \
  X(extreme,              3.04,    "times a plain sum's element",                          "2026-11-23-h200", 6.9)         \
  X(arg,                  10.3,    "times a plain sum's element",                          "2026-11-23-h200", 10.0)        \
  X(f64,                  2.01,    "times that, f64",                                      "2026-11-23-h200", 10.3)        \
  X(integer,              2.27,    "times that, i32 and i64",                              "2026-11-23-h200", 12.3)        \
  X(fp8,                  1.16,    "more for an 8-bit float",                              "2026-11-23-h200", 9.5)         \
  X(words,                1.82,    "more for an 8-bit integer, by words",                  "2026-11-23-h200", 12.1)        \
  X(bytes,                1.82,    "more for an 8-bit integer taken apart",                "2026-11-23-h200", 10.7)        \
  X(half,                 0.383,   "more for a 16-bit float",                              "2026-11-23-h200", 7.7)
// clang-format on
GPUOPT_FIGURES(ReduceAnyFigures, reduce_any_figures, GPUOPT_REDUCE_ANY_FIGURES)

}  // namespace gpuopt
