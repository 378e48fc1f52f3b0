// Finds the values of figures with which predictions come nearest to what was measured.
//
// A figure is fitted where some row's prediction depends on it, which trying other values shows. Then, table by table,
// damped Gauss-Newton steps on log(predicted / measured) and after them steps of single figures lower
//     sum of weight * |log(predicted / measured)|, smoothed near 0,  +  a little (log(value / present value))^2 a figure.
// The weights keep the many rows of one length from drowning the few of another, and random products from drowning squares and
// layers of models. Values stay positive and within a factor of four of the present ones; shares do not grow above 1. Rows that
// read "counted" stay, and so do those that read "planned": plans are made by them, and with other plans the times would be others.
#pragma once
#include <vector>

#include "figure_tables.h"
#include "samples.h"

namespace gpuopt_bench {

struct FittedFigure {
  const FigureTable *table;
  const FigureRow *row;
  double before, after;
  int rows;              // that depend on it
  double error_percent;  // of their predictions afterwards, mean |predicted / measured - 1|
};

// Changes the values that the tables point to. Figures that no row touches are not among the result. kept: globs of folder and
// name, "gemm/wgmma/pack_*", of figures that stay as well.
std::vector<FittedFigure> fit_figures(const std::vector<FigureTable> &tables, const std::vector<FitSample> &samples,
                                      const std::vector<std::string> &kept = {});

}  // namespace gpuopt_bench
