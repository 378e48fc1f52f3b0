// What `gpuopt explain` assumes beside the call, and the handle that it asks.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "call_options.h"
#include "verdicts.h"

namespace gpuopt_cli {

struct ExplainOptions {
  std::shared_ptr<CallOptions> call = std::make_shared<CallOptions>();
  std::string problem, log;  // in place of a call's options
  int64_t top = 0;           // accepted kernels (0: all), or problems of a log (0: 20, in JSON all)
  std::string pretend, device = "auto", kernel, disable, space = "auto", tune_cache;
  bool capturing = false, any_build = false, rejected_only = false, accepted_only = false, all_needs = false,
       json = false, csv = false;
};

class Explainer {
 public:
  // Throws CLI::ValidationError for words that are none, std::runtime_error where there is no handle.
  explicit Explainer(const ExplainOptions &options);
  const gpuopt_device_facts &facts() const { return facts_; }
  // What is stated on the command line comes before what the call says of itself.
  gpuopt_status explain(gpuopt_call::Call call, gpuopt_explain_fn fn, void *user);
  // What of the build keeps kernels from the device, for verdicts on it; "" where nothing does, or a CPU was asked for.
  std::string note(const Verdicts &verdicts) const;

 private:
  struct Destroy {
    void operator()(gpuopt_handle *h) const { gpuopt_destroy(h); }
  };
  gpuopt_explain_options stated_ = GPUOPT_EXPLAIN_OPTIONS_INIT;
  gpuopt_device_facts facts_ = GPUOPT_DEVICE_FACTS_INIT;  // of the device, pretended or not
  bool wants_gpu_ = false;                                // where there is one
  std::unique_ptr<gpuopt_handle, Destroy> handle_;
};

// What explain found of one call, as text or as JSON.
struct Explained {
  gpuopt_status status = GPUOPT_OK;
  std::string error, note;  // note: of the build
  gpuopt_device_facts device = GPUOPT_DEVICE_FACTS_INIT;
  Verdicts verdicts;
};
void print_explained(const ExplainOptions &options, const Explained &explained);

// `gpuopt explain --log`: what the calls of a log would get.
int explain_log(const ExplainOptions &options);

// The operations of gpuopt::dist below `gpuopt explain`.
void add_explain_dist(CLI::App *explain, int *exit_code);

}  // namespace gpuopt_cli
