// What `ncu --csv --page raw` prints, as numbers: a head of names, a line of units, a line for each kernel; lines of the profiled
// program and of ncu itself ("==PROF== ...") are between them.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace gpuopt_lab {

struct NcuKernel {
  std::string name;
  std::map<std::string, double> metrics;  // in the base unit: bytes, %, a number; those that are numbers
};

struct NcuOutput {
  std::vector<NcuKernel> kernels;
  std::string fault;  // why there is no kernel: ncu's own message where it has one, else what is wrong with the text
};

NcuOutput read_ncu_csv(const std::string &text);

// The fields of one line; quotes may hold commas, and "" a quote. A quote that is not closed ends with the line.
std::vector<std::string> csv_fields(const std::string &line);

}  // namespace gpuopt_lab
