// What transpose_naive costs.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_TRANSPOSE_LADDER_FIGURES(X)                                                                          \
  /* name             value  what it is                                                fitted to        error, % */ \
  X(launch_us,          2.01, "launch",                                                      "2026-11-28", 9.5)     \
  X(sectors_per_ns,      175, "sectors that scattered stores touch",                         "2026-11-28", 9.4)     \
  X(sector_bytes,       31.7, "bytes of an element that double a sector's time",             "2026-11-28", 9.5)     \
  X(elements_per_ns,     212, "elements moved, at most",                                     "2026-11-28", 9.5)     \
  X(overlap,            8.28, "power by which instructions and stores overlap",              "2026-11-28", 9.3)     \
  X(l2_share,          0.487, "of l2_bytes that keeps lines of the result open",             "2026-11-28", 10.8)    \
  X(in_place_factor,    1.15, "times the stores' time in place, large matrices",             "2026-11-28", 10.1)    \
  X(l2_power,           2.38, "power by which more open lines than that are lost",           "2026-11-28", 10.2)    \
  X(in_place_extent,    40.5, "rows of matrices at which in place it is half",               "2026-11-28", 10.0)    \
  X(evicted_factor,    0.511, "times their bytes, lines lost and read again",                "2026-11-28", 10.7)    \
  X(lines_per_ns,        122, "memory lines that scattered stores touch",                    "2026-11-28", 9.3)     \
  X(in_place_bytes,     1.04, "bytes of an element, fewer of which cost more in place", "2026-11-28", 10.0)         \
  X(partial_factor,     1.34, "times the bytes, sectors in part",                            "2026-11-28", 13.5)
// clang-format on
GPUOPT_FIGURES(TransposeLadderFigures, transpose_ladder_figures, GPUOPT_TRANSPOSE_LADDER_FIGURES)

}  // namespace gpuopt
