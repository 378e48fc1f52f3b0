// What reductions of any matrix by chunks cost.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_ANY_FIGURES(X)                                                                                       \
  /* name                 value    what it is                                               fitted to          error, % */ \
  X(launch_us,            3.842,   "launch",                                               "2026-11-22-h200", 10.6)        \
  X(second_launch_us,     2.482,   "the second, where partials are combined",              "2026-11-22-h200", 10.6)        \
  X(life_us,              0.2862,  "of a block, its beginning and end",                    "2026-11-22-h200", 10.6)        \
  X(turn_us,              1.015,   "a turn of its chunks",                                 "2026-11-22-h200", 10.6)        \
  X(last_life,            0.1094,  "of a life, the last",                                  "2026-11-22-h200", 10.6)        \
  X(whole_share,          0.88,    "of memory_gbs, whole chunks",                          "2026-11-22-h200", 10.6)        \
  X(pieces_share,         0.9023,  "of memory_gbs, element by element",                    "2026-11-22-h200", 10.6)        \
  X(pieces_factor,        1.42,    "times the instructions, element by element",           "2026-11-22-h200", 10.6)        \
  X(columns_factor,       0.8423,  "times the instructions, down columns",                 "2026-11-22-h200", 10.6)        \
  X(column_pieces_share,  0.4605,  "of memory_gbs, element by element down columns",       "2026-11-22-h200", 10.6)        \
  X(column_pieces_factor, 1.975,   "times the instructions, likewise",                     "2026-11-22-h200", 10.6)        \
  X(gather_us,            0.1949,  "a partial of a thread that combines them",             "2026-11-22-h200", 10.6)        \
  X(alone_factor,         1.36,    "times the time to issue a block's instructions alone", "2026-11-22-h200", 10.6)        \
  X(transposed_factor,    6.508,   "times the instructions, y of the other layout",        "2026-11-22-h200", 10.6)        \
  X(block_us,             0.6883,  "a block, of a multiprocessor",                         "2026-11-22-h200", 10.6)        \
  X(output_ns,            0.08791, "a result, of a multiprocessor",                        "2026-11-22-h200", 10.6)        \
  X(dot,                  2.309,   "times a plain sum's element",                          "2026-11-22-h200", 10.6)        \
  X(product,              1.064,   "times a plain sum's element",                          "2026-11-22-h200", 10.6)        \
  X(extreme,              3.432,   "times a plain sum's element",                          "2026-11-22-h200", 10.6)        \
  X(arg,                  10.75,   "times a plain sum's element",                          "2026-11-22-h200", 10.6)        \
  X(f64,                  2.02,    "times that, f64",                                      "2026-11-22-h200", 10.6)        \
  X(integer,              1.621,   "times that, i32 and i64",                              "2026-11-22-h200", 10.6)        \
  X(fp8,                  1.056,   "more for an 8-bit float",                              "2026-11-22-h200", 10.6)        \
  X(words,                1.923,   "more for an 8-bit integer, by words",                  "2026-11-22-h200", 10.6)        \
  X(bytes,                2.014,   "more for an 8-bit integer taken apart",                "2026-11-22-h200", 10.6)        \
  X(half,                 0.5685,  "more for a 16-bit float",                              "2026-11-22-h200", 10.6)
// clang-format on
GPUOPT_FIGURES(ReduceAnyFigures, reduce_any_figures, GPUOPT_REDUCE_ANY_FIGURES)

}  // namespace gpuopt
