// What reductions of any matrix by chunks cost.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_ANY_FIGURES(X)                                                                                       \
  /* name                 value    what it is                                               fitted to          error, % */ \
  X(launch_us,            2.39,    "launch",                                                    "2026-11-28", 11.8)        \
  X(second_launch_us,     2.52,    "the second, where partials are combined",                   "2026-11-28", 11.5)        \
  X(life_us,              0.149,   "of a block, its beginning and end",                         "2026-11-28", 11.8)        \
  X(turn_us,              0.997,   "a turn of its chunks",                                      "2026-11-28", 11.8)        \
  X(last_life,            0.0753,  "of a life, the last",                                       "2026-11-28", 11.8)        \
  X(whole_share,          0.876,   "of memory_gbs, whole chunks",                               "2026-11-28", 10.9)        \
  X(pieces_share,         0.872,   "of memory_gbs, element by element",                         "2026-11-28", 12.1)        \
  X(pieces_factor,        1.33,    "times the instructions, element by element",                "2026-11-28", 12.4)        \
  X(columns_factor,       0.738,   "times the instructions, down columns",                      "2026-11-28", 12.3)        \
  X(column_pieces_share,  0.442,   "of memory_gbs, element by element down columns",            "2026-11-28", 13.3)        \
  X(column_pieces_factor, 1.96,    "times the instructions, likewise",                          "2026-11-28", 13.3)        \
  X(gather_us,            0.147,   "a partial of a thread that combines them",                  "2026-11-28", 11.5)        \
  X(alone_factor,         1.49,    "times the time to issue a block's instructions alone", "2026-11-28", 11.8)             \
  X(transposed_factor,    5.6,     "times the instructions, y of the other layout",             "2026-11-28", 59.2)        \
  X(block_us,             0.721,   "a block, of a multiprocessor",                              "2026-11-28", 11.8)        \
  X(output_ns,             0.0857, "a result, of a multiprocessor",                             "2026-11-28", 11.7)        \
  X(dot,                  2.77,    "times a plain sum's element",                               "2026-11-28", 19.7)        \
  X(product,              0.701,   "times a plain sum's element",                               "2026-11-28", 9.8)         \
  X(extreme,              3.55,    "times a plain sum's element",                               "2026-11-28", 9.4)         \
  X(arg,                  11.3,    "times a plain sum's element",                               "2026-11-28", 13.2)        \
  X(f64,                  2.04,    "times that, f64",                                           "2026-11-28", 10.8)        \
  X(integer,              1.57,    "times that, i32 and i64",                                   "2026-11-28", 13.6)        \
  X(fp8,                  1.18,    "more for an 8-bit float",                                   "2026-11-28", 12.5)        \
  X(words,                1.85,    "more for an 8-bit integer, by words",                       "2026-11-28", 12.7)        \
  X(bytes,                2.1,     "more for an 8-bit integer taken apart",                     "2026-11-28", 18.0)        \
  X(half,                 0.383,   "more for a 16-bit float",                                   "2026-11-28", 10.7)
// clang-format on
GPUOPT_FIGURES(ReduceAnyFigures, reduce_any_figures, GPUOPT_REDUCE_ANY_FIGURES)

}  // namespace gpuopt
