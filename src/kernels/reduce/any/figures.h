// What reductions of any matrix by chunks cost.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_ANY_FIGURES(X)                                                                                       \
  /* name                 value    what it is                                               fitted to          error, % */ \
  X(launch_us,            2.28,    "launch",                                                    "2026-11-28", 11.3)        \
  X(second_launch_us,     2.36,    "the second, where partials are combined",                   "2026-11-28", 11.1)        \
  X(life_us,              0.179,   "of a block, its beginning and end",                         "2026-11-28", 11.3)        \
  X(turn_us,              1.03,    "a turn of its chunks",                                      "2026-11-28", 11.3)        \
  X(last_life,            0.0791,  "of a life, the last",                                       "2026-11-28", 11.3)        \
  X(whole_share,          0.863,   "of memory_gbs, whole chunks",                               "2026-11-28", 9.6)         \
  X(pieces_share,         0.872,   "of memory_gbs, element by element",                         "2026-11-28", 13.0)        \
  X(pieces_factor,        1.46,    "times the instructions, element by element",                "2026-11-28", 13.3)        \
  X(columns_factor,       0.76,    "times the instructions, down columns",                      "2026-11-28", 10.7)        \
  X(column_pieces_share,  0.468,   "of memory_gbs, element by element down columns",            "2026-11-28", 12.4)        \
  X(column_pieces_factor, 2.11,    "times the instructions, likewise",                          "2026-11-28", 12.2)        \
  X(gather_us,            0.155,   "a partial of a thread that combines them",                  "2026-11-28", 11.1)        \
  X(alone_factor,         1.28,    "times the time to issue a block's instructions alone", "2026-11-28", 11.3)             \
  X(transposed_factor,    7.19,    "times the instructions, y of the other layout",             "2026-11-28", 38.7)        \
  X(block_us,             0.719,   "a block, of a multiprocessor",                              "2026-11-28", 11.3)        \
  X(output_ns,             0.0865, "a result, of a multiprocessor",                             "2026-11-28", 11.2)        \
  X(dot,                  2.7,     "times a plain sum's element",                               "2026-11-28", 18.1)        \
  X(product,              0.706,   "times a plain sum's element",                               "2026-11-28", 10.0)        \
  X(extreme,              3,       "times a plain sum's element",                               "2026-11-28", 10.3)        \
  X(arg,                  11.5,    "times a plain sum's element",                               "2026-11-28", 11.7)        \
  X(f64,                  2.01,    "times that, f64",                                           "2026-11-28", 11.3)        \
  X(integer,              1.39,    "times that, i32 and i64",                                   "2026-11-28", 12.2)        \
  X(fp8,                  1.19,    "more for an 8-bit float",                                   "2026-11-28", 12.0)        \
  X(words,                1.83,    "more for an 8-bit integer, by words",                       "2026-11-28", 11.0)        \
  X(bytes,                1.85,    "more for an 8-bit integer taken apart",                     "2026-11-28", 16.0)        \
  X(half,                 0.373,   "more for a 16-bit float",                                   "2026-11-28", 11.6)
// clang-format on
GPUOPT_FIGURES(ReduceAnyFigures, reduce_any_figures, GPUOPT_REDUCE_ANY_FIGURES)

}  // namespace gpuopt
