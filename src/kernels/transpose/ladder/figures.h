// What transpose_naive costs.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_TRANSPOSE_LADDER_FIGURES(X)                                                                          \
  /* name             value  what it is                                                fitted to        error, % */ \
  X(launch_us,         3.616, "launch",                                                 "2026-11-22-h200", 10.3)    \
  X(sectors_per_ns,    225.9, "sectors that scattered stores touch",                    "2026-11-22-h200", 10.3)    \
  X(sector_bytes,      29.47, "bytes of an element that double a sector's time",        "2026-11-22-h200", 10.3)    \
  X(elements_per_ns,   214.3, "elements moved, at most",                                "2026-11-22-h200", 10.3)    \
  X(overlap,           8.046, "power by which instructions and stores overlap",         "2026-11-22-h200", 10.3)    \
  X(l2_share,         0.6439, "of l2_bytes that keeps lines of the result open",        "2026-11-22-h200", 10.3)    \
  X(in_place_factor,   1.083, "times the stores' time in place, large matrices",        "2026-11-22-h200", 10.3)    \
  X(l2_power,          3.184, "power by which more open lines than that are lost",      "2026-11-22-h200", 10.3)    \
  X(in_place_extent,   45.66, "rows of matrices at which in place it is half",          "2026-11-22-h200", 10.3)    \
  X(evicted_factor,   0.6724, "times their bytes, lines lost and read again",           "2026-11-22-h200", 10.3)    \
  X(lines_per_ns,      112.8, "memory lines that scattered stores touch",               "2026-11-22-h200", 10.3)    \
  X(in_place_bytes,    1.253, "bytes of an element, fewer of which cost more in place", "2026-11-22-h200", 10.3)    \
  X(partial_factor,     1.76, "times the bytes, sectors in part",                       "2026-11-22-h200", 10.3)
// clang-format on
GPUOPT_FIGURES(TransposeLadderFigures, transpose_ladder_figures, GPUOPT_TRANSPOSE_LADDER_FIGURES)

}  // namespace gpuopt
