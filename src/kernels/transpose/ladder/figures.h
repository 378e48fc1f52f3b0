// What transpose_naive costs.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_TRANSPOSE_LADDER_FIGURES(X)                                                                          \
  /* name             value  what it is                                                fitted to        error, % */ \
  X(launch_us,          3.67, "launch",                                                 "2026-11-27-h200", 10.1)    \
  X(sectors_per_ns,      180, "sectors that scattered stores touch",                    "2026-11-27-h200", 10.2)    \
  X(sector_bytes,       48.7, "bytes of an element that double a sector's time",        "2026-11-27-h200", 10.7)    \
  X(elements_per_ns,     213, "elements moved, at most",                                "2026-11-27-h200", 10.1)    \
  X(overlap,            8.38, "power by which instructions and stores overlap",         "2026-11-27-h200", 10.1)    \
  X(l2_share,          0.739, "of l2_bytes that keeps lines of the result open",        "2026-11-27-h200", 11.2)    \
  X(in_place_factor,   0.998, "times the stores' time in place, large matrices",        "2026-11-27-h200", 7.6)     \
  X(l2_power,           3.78, "power by which more open lines than that are lost",      "2026-11-27-h200", 11.7)    \
  X(in_place_extent,    44.2, "rows of matrices at which in place it is half",          "2026-11-27-h200", 7.6)     \
  X(evicted_factor,    0.662, "times their bytes, lines lost and read again",           "2026-11-27-h200", 11.4)    \
  X(lines_per_ns,        107, "memory lines that scattered stores touch",               "2026-11-27-h200", 10.2)    \
  X(in_place_bytes,      1.2, "bytes of an element, fewer of which cost more in place", "2026-11-27-h200", 7.5)     \
  X(partial_factor,     1.38, "times the bytes, sectors in part",                       "2026-11-27-h200", 11.8)
// clang-format on
GPUOPT_FIGURES(TransposeLadderFigures, transpose_ladder_figures, GPUOPT_TRANSPOSE_LADDER_FIGURES)

}  // namespace gpuopt
