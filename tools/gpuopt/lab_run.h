// What `gpuopt lab` found when it ran an experiment.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"
#include "gpuopt_lab/experiment.h"
#include "gpuopt_lab/verdict.h"
#include "ncu_count.h"

namespace gpuopt_cli {

struct LabRun {
  const gpuopt_lab::Run *run = nullptr;
  std::string kernel, device;  // that ran; several with " + " between
  double us = 0, noise = 1;    // us 0: not run
  std::string failure;         // why not
  double metric = -1;          // below 0: not known
  bool counted = false;        // by ncu; else it follows from the code, or from CUDA's occupancy calculator
  double error = -1;           // of the result, of its largest value
  double of_bound = -1;        // share of the least time that the device can take; below 0: not known
  bool has_occupancy = false;
  gpuopt_occupancy occupancy = GPUOPT_OCCUPANCY_INIT;
  int recommended_threads = 0;  // cudaOccupancyMaxPotentialBlockSize; 0: not asked
};

// A line of an experiment that is no call: a copy kernel, a memory, a transfer.
struct LabLine {
  std::string what;
  std::vector<std::pair<std::string, double>> values;  // "clocks"
};

struct LabResult {
  const gpuopt_lab::Experiment *experiment = nullptr;
  std::vector<LabRun> runs;
  std::vector<LabLine> lines;
  double ratio = 0;  // times as fast, after over before; 0: one of them did not run
  gpuopt_lab::Verdict verdict = gpuopt_lab::Verdict::not_run;
  std::string note;  // what could not be had, and why

  bool is_empty() const;  // nothing of it could be run
};

struct LabOptions {
  std::string device = "auto";
  double seconds = 0.2;  // of each kernel
  bool ncu = true;       // where it is there
};

class Lab {
 public:
  explicit Lab(const LabOptions &options);  // throws std::runtime_error, CLI::ValidationError
  const gpuopt_device_facts &device() const { return facts_; }
  bool counts() const { return ncu_.counts(); }  // metrics, by ncu
  const std::string &ncu_note() const { return ncu_.note(); }
  LabResult run(const gpuopt_lab::Experiment &experiment);

 private:
  void time_runs(const gpuopt_lab::Experiment &e, LabResult *result);
  void time_group(const std::vector<LabRun *> &group);
  void time_sequence(LabRun *run);
  void describe(const gpuopt_lab::Experiment &e, LabRun *run);
  void transfer(LabResult *result);
  void find_errors(LabResult *result);

  LabOptions options_;
  int32_t ordinal_ = 0;
  gpuopt_device_facts facts_ = GPUOPT_DEVICE_FACTS_INIT;
  NcuCounter ncu_;
};

// Of a build with the benchmarks' timer, on a GPU: lab_device.cpp. Elsewhere empty, and 0.
std::vector<LabLine> lab_bytes_in_flight(int32_t ordinal);
std::vector<LabLine> lab_latencies(int32_t ordinal);
int lab_recommended_threads(const void *entry, int32_t dynamic_smem);

void print_lab_list(bool json);
void print_lab(const Lab &lab, const std::vector<LabResult> &results, bool json);

}  // namespace gpuopt_cli
