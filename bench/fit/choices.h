// What predictions choose of squares and layers of models (suites/model_gemms.h), before a fit and after it: random problems, which
// figures are fitted to, have few of them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "samples.h"

namespace gpuopt_bench {

struct ModelChoice {
  std::string name, call, kernel;
  std::map<std::string, double> predicted_us;  // of each kernel that can run it
};
// With the figures as they are now. handle: without tuned choices; no device is touched.
std::vector<ModelChoice> model_choices(gpuopt_handle *handle, const gpuopt_device_facts &device);

// A line for each choice that changes, with the measured times of both kernels where samples have them.
std::string changed_choices(const std::vector<ModelChoice> &before, const std::vector<ModelChoice> &after,
                            const FitSamples &samples);

}  // namespace gpuopt_bench
