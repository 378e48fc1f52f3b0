// What `gpuopt bench` found: as a table, as CSV, as JSON, and beside an earlier one.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "bench_timer.h"
#include "clocks.h"
#include "gpuopt_call/bound.h"
#include "json.h"
#include "regress.h"

namespace gpuopt_cli {

struct BenchedKernel {
  KernelTime time;
  double predicted_us = 0;  // 0: it predicts nothing
  // Mode G where it was measured.
  double us() const { return time.best().us; }
};

struct BenchedProblem {
  std::string problem;
  double flops = 0;   // gemm; 0: memory-bound
  int64_t bytes = 0;  // each operand once
  gpuopt_call::Bound bound;
  std::vector<BenchedKernel> kernels;                           // least time first, failures last
  gpuopt_measure::ClockWatch::Seen clocks;                      // while it was timed
  size_t algorithms = 0;                                        // of libraries, that the best one of was sought among
  std::vector<std::pair<std::string, std::string>> cannot_run;  // kernels that were asked for by name, and why not
  size_t rejected = 0, too_slow = 0;                            // others: not able, not worth the time

  double intensity() const { return bytes > 0 ? flops / double(bytes) : 0; }  // FLOP/B
  double chosen_us() const;                                                   // 0: not measured
};

struct BenchReport {
  gpuopt_device_facts device = GPUOPT_DEVICE_FACTS_INIT;
  std::string method, data, cache;
  bool has_graphs = false;
  std::vector<BenchedProblem> problems;
};

void print_bench_table(const BenchReport &report);
Json bench_json(const BenchReport &report);
void print_bench_csv(const Json &report);
double best_us(const Json &kernel);  // one of the JSON's: mode G where it was measured

// The rows of a report that `bench --json` wrote. Throws CLI::ValidationError, which names the file and what is wrong with it.
std::vector<gpuopt_measure::Row> read_bench_rows(const std::string &path);
std::vector<gpuopt_measure::Row> bench_rows(const BenchReport &report);

}  // namespace gpuopt_cli
