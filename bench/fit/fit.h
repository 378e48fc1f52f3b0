// gpuopt_bench fit RECORD...: fits the figures of predictions to records, says how far off each kernel's predictions were and
// are, what would be chosen with them and which choices of models' products change, and writes them into the sources when asked.
// Needs no GPU.
#pragma once
#include <string>
#include <vector>

#include "../core/record.h"
#include "figure_tables.h"
#include "samples.h"
#include "solve.h"

namespace gpuopt_bench {

struct FitOptions {
  bool write = false;
  int holdout = 0;                   // percent of the problems that are judged and not fitted to
  std::vector<std::string> kernels;  // globs: only their rows, and so only their figures
  std::vector<std::string> kept;     // globs of folder and name: figures that stay
  std::string fitted_to;             // "2026-11-21-h200"; empty: of the first record's date and device
  std::string rows;                  // a file that gets each row as CSV; "": none does
};

std::string fitted_to(const Record &record);
bool held_out(const std::string &call, int percent);  // by a hash of the call

struct FitReport {
  std::vector<FittedFigure> figures;
  std::string text, rows;  // rows: as CSV
};
// Fits the tables' figures in this process.
FitReport fit(const FitSamples &samples, const std::vector<FigureTable> &tables, const FitOptions &options);

// The verb. Exit code.
int run_fit(const std::vector<std::string> &arguments);

}  // namespace gpuopt_bench
