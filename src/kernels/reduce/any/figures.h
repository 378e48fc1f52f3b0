// What reductions of any matrix by chunks cost.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_REDUCE_ANY_FIGURES(X)                                                                                       \
  /* name                 value    what it is                                               fitted to          error, % */ \
  X(launch_us,            3.71,    "launch",                                               "2026-11-27-h200", 10.4)        \
  X(second_launch_us,     3.08,    "the second, where partials are combined",              "2026-11-27-h200", 9.9)         \
  X(life_us,              0.232,   "of a block, its beginning and end",                    "2026-11-27-h200", 10.4)        \
  X(turn_us,              0.992,   "a turn of its chunks",                                 "2026-11-27-h200", 10.4)        \
  X(last_life,            0.0906,  "of a life, the last",                                  "2026-11-27-h200", 10.4)        \
  X(whole_share,          0.892,   "of memory_gbs, whole chunks",                          "2026-11-27-h200", 9.3)         \
  X(pieces_share,         0.9,     "of memory_gbs, element by element",                    "2026-11-27-h200", 11.4)        \
  X(pieces_factor,        1.44,    "times the instructions, element by element",           "2026-11-27-h200", 11.5)        \
  X(columns_factor,       0.817,   "times the instructions, down columns",                 "2026-11-27-h200", 10.5)        \
  X(column_pieces_share,  0.405,   "of memory_gbs, element by element down columns",       "2026-11-27-h200", 11.1)        \
  X(column_pieces_factor, 1.92,    "times the instructions, likewise",                     "2026-11-27-h200", 11.1)        \
  X(gather_us,            0.171,   "a partial of a thread that combines them",             "2026-11-27-h200", 9.9)         \
  X(alone_factor,         1.34,    "times the time to issue a block's instructions alone", "2026-11-27-h200", 10.4)        \
  X(transposed_factor,    8.37,    "times the instructions, y of the other layout",        "2026-11-27-h200", 47.2)        \
  X(block_us,             0.681,   "a block, of a multiprocessor",                         "2026-11-27-h200", 10.4)        \
  X(output_ns,             0.0871, "a result, of a multiprocessor",                        "2026-11-27-h200", 10.2)        \
  X(dot,                  2.6,     "times a plain sum's element",                          "2026-11-27-h200", 18.9)        \
  X(product,              0.685,   "times a plain sum's element",                          "2026-11-27-h200", 8.1)         \
  X(extreme,              3.27,    "times a plain sum's element",                          "2026-11-27-h200", 8.4)         \
  X(arg,                  10.4,    "times a plain sum's element",                          "2026-11-27-h200", 11.1)        \
  X(f64,                  2.32,    "times that, f64",                                      "2026-11-27-h200", 9.1)         \
  X(integer,              1.88,    "times that, i32 and i64",                              "2026-11-27-h200", 11.8)        \
  X(fp8,                  1.14,    "more for an 8-bit float",                              "2026-11-27-h200", 9.1)         \
  X(words,                1.56,    "more for an 8-bit integer, by words",                  "2026-11-27-h200", 11.0)        \
  X(bytes,                1.75,    "more for an 8-bit integer taken apart",                "2026-11-27-h200", 15.1)        \
  X(half,                 0.387,   "more for a 16-bit float",                              "2026-11-27-h200", 10.8)
// clang-format on
GPUOPT_FIGURES(ReduceAnyFigures, reduce_any_figures, GPUOPT_REDUCE_ANY_FIGURES)

}  // namespace gpuopt
