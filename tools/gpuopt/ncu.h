// Nsight Compute, where it is there: what it measures, as a report.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "gpuopt_advise/report.h"

namespace gpuopt_cli {

// A report that could not be had, with what to do about it.
class NoReport : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nsight Compute is not installed.
class NoNcu : public NoReport {
 public:
  using NoReport::NoReport;
};

// A command, and what ncu counts of its kernels.
struct NcuCall {
  std::vector<std::string> command;
  std::string metrics;               // with commas between
  std::vector<std::string> options;  // more of ncu's: which launches
  bool silent;                       // what the command prints is dropped; else it goes to stderr
};
// Throws NoReport, with ncu's own words.
gpuopt_advise::Report count(const NcuCall &call);

// count() with the metrics that the rules read, of its first `launches` kernels; not silent.
gpuopt_advise::Report profile_command(const std::vector<std::string> &command, int64_t launches);

// What a file holds: a table of ncu's, or, by `ncu --import`, an .ncu-rep; "-": standard input. Throws NoReport where it cannot be
// read, and where it is wrong, with file and line.
gpuopt_advise::Report read_report_file(const std::string &path);

}  // namespace gpuopt_cli
