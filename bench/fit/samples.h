// Measured rows of a record as problems that kernels can be asked about again: calls are rebuilt from their text, and
// gpuopt_explain, on the record's device, makes problems of them.
#pragma once
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../core/record.h"
#include "gpuopt/kernel.h"

namespace gpuopt_bench {

struct FitPart {  // one launch: a two-step candidate has two
  const gpuopt_kernel *kernel;
  std::shared_ptr<const gpuopt_problem> problem;
};
struct FitSample {
  std::string op, call, where, kernel;
  bool chosen = false;                      // when it was recorded
  bool selection = false;                   // of the suite selection: every candidate of its call is there
  bool regular = false;                     // a large aligned product, as squares and layers of models are
  double measured_us = 0, recorded_us = 0;  // recorded: the prediction of that time
  std::vector<FitPart> parts;
};
struct FitSamples {
  std::list<gpuopt_device_facts> devices;  // a record's each
  std::vector<FitSample> all;
  std::map<std::string, int> left_out;  // rows, by reason
  std::set<std::string> have;           // kernels and calls of the records so far
};

// Rows in mode S and cold, of our kernels with predictions, that no record before has; of short calls with those of mode G
// (core/compared.h). handle: any; no device is touched.
// Devices and what kernels keep of a call live as long as the samples.
void add_samples(const Record &record, gpuopt_handle *handle, FitSamples *samples);
std::unique_ptr<FitSamples> fit_samples(const Record &record, gpuopt_handle *handle);

double predict(const FitSample &sample);  // with the figures as they are now

}  // namespace gpuopt_bench
