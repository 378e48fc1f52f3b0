// Puts new values into the text of a figures.h, and leaves the rest as it stands. Rows may come out of macros of the file:
// a row's value is then where the macro is used, what it was fitted to and its error in the macro.
#pragma once
#include <string>
#include <vector>

namespace gpuopt_bench {

struct NewFigure {
  std::string name;
  double value;
  std::string fitted_to;
  double error_percent;
};
// Figures that the text has no row of are named in *missing.
std::string rewrite_figures(const std::string &text, const std::vector<NewFigure> &figures,
                            std::vector<std::string> *missing);

std::string figure_text(double value);  // "0.835", "3.2e6"

}  // namespace gpuopt_bench
