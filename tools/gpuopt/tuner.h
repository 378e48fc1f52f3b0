// One problem tuned: what could run it, held to the oracle and measured; the best in a race; and what is to run it from now on.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bench_timer.h"
#include "times.h"
#include "truth.h"
#include "tune_file.h"

namespace gpuopt_cli {

struct TunerOptions {
  int32_t device = GPUOPT_DEVICE_CPU;
  std::string tune_cache;    // what stands is in this file; "": nothing does
  double within = 5;         // of kernels predicted to take more than so many times the best nothing is measured
  bool unpredicted = false;  // kernels without a prediction, too
  double noise = 0.01, budget_seconds = 0.5;
  double most_us = 0;                       // problems predicted to take longer are skipped; 0: none
  int64_t most_checked = int64_t{1} << 31;  // of larger problems, in bytes, nothing is held to the oracle
  double truth_steps = 2e8;  // multiplications that the truth of a problem may take: a fraction of a second
  bool cold = false;
  gpuopt_check::Data data = gpuopt_check::Data::normal;
};

struct TunedProblem {
  std::string problem, exact_key;
  // Kernels, with an algorithm where one is named; standing: by the file, else untuned.
  std::string untuned, standing, choice;
  gpuopt_measure::ProblemTimes times;
  std::vector<std::string> wrong;  // kernels that the oracle or the call found at fault, with what it is
  std::string skipped;             // why it was not tuned; "": it was

  // The kernel's time of the last measurement that it was in.
  gpuopt_measure::Time time_of(const std::string &kernel) const;
};

// A problem and its truth. To make one takes the CPU longer than many a problem takes to be measured; it needs no device.
struct Oracle {
  gpuopt_check::Problem problem;
  gpuopt_check::Truth truth;  // points into the problem
};
// nullptr: the problem is too large.
std::unique_ptr<const Oracle> make_oracle(const gpuopt_call::Call &call, const TunerOptions &options);

TunedProblem tune(const gpuopt_call::Call &call, const TunerOptions &options, const Oracle *oracle);

// Before anything is measured: throws CLI::ValidationError where entries could not be written to that file.
void check_tune_file(const std::string &path);

// other's time over kernel's, of the same rounds; 0: one of them failed.
double raced_ratio(BenchTimer *timer, const std::string &kernel, const std::string &other, double budget_seconds);

// The entry for the problem itself, and that with the times of its kernels, by which problems near it are judged.
gpuopt_tune::Entry exact_entry(const TunedProblem &problem);
gpuopt_tune::Entry measured_entry(const TunedProblem &problem);

}  // namespace gpuopt_cli
