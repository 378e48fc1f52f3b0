// Figures: what was measured, as data beside the code that predicts with it.
//
// A family's figures.h lists rows and makes a struct of them (in the macro all lines but the last end in a backslash):
//
//   #define GPUOPT_NORM_ROW_FIGURES(X)
//     /* name           value  what it is                           fitted to          error, % */
//     X(warp_launch_us, 2.40, "launch, norm_warp_row",              "2026-11-21-h200", 6.1)
//     X(warp_share,     0.93, "of memory_gbs it reaches, large",    "2026-11-21-h200", 6.1)
//   GPUOPT_FIGURES(NormRowFigures, norm_row_figures, GPUOPT_NORM_ROW_FIGURES)
//
// and a prediction reads norm_row_figures.warp_share. The variable is named <op>_<folder>_figures after the file's place,
// src/kernels/<op>/<folder>/figures.h, which is how `gpuopt_bench fit` finds every table.
//
// Values hold for the device that they were fitted on, sm_90. Others take the same shares of their own clocks, bandwidth
// and multiprocessors; a row that only other devices use says "derived". A row without a record says "counted" (read off
// the code), "planned" (what plans go by, or a value by which choices are better than by the one that fits times; no fit
// moves either) or "derived" (nobody measured). error: mean |predicted / measured - 1| in percent of the predictions that the
// row has a part in; 0 where there is none.
#pragma once

#include <cstddef>

namespace gpuopt {

struct Figure {
  const char *name;
  double *value;
  const char *what, *fitted_to;
  double error_percent;
};
struct FigureTable {
  const Figure *figures;
  size_t count;
};

}  // namespace gpuopt

// Not const: `gpuopt_bench fit` tries other values. The library only reads.
#define GPUOPT_FIGURE_FIELD_(name, value, what, fitted_to, error) double name = value;
#define GPUOPT_FIGURE_ROW_(name, value, what, fitted_to, error) {#name, &kOf.name, what, fitted_to, error},
#define GPUOPT_FIGURES(Type, variable, LIST)                  \
  struct Type {                                               \
    LIST(GPUOPT_FIGURE_FIELD_)                                \
  };                                                          \
  inline Type variable;                                       \
  inline FigureTable variable##_table() {                     \
    static Type &kOf = variable;                              \
    static const Figure kRows[] = {LIST(GPUOPT_FIGURE_ROW_)}; \
    return {kRows, sizeof kRows / sizeof *kRows};             \
  }
