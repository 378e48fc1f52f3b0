// How `gpuopt bench` takes times: by the host's clock from the call to the end, or, on a GPU in a build with the
// benchmarks' timer, on the device (bench/core/timing.h: modes S and G, cold).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bench_call.h"

namespace gpuopt_cli {

struct KernelTime {
  std::string kernel;
  bool chosen = false;
  double us = 0, p10_us = 0, p90_us = 0;  // by the host's clock, or mode S
  double graph_us = 0;                    // mode G; 0: not measured
  int64_t samples = 0;
  std::string failure;
};

class BenchTimer {
 public:
  virtual ~BenchTimer() = default;
  virtual gpuopt_handle *handle() = 0;
  virtual const char *method() const = 0;  // a sentence for the table's head
  // A call on memory that lives as long as this; the first of the sets.
  virtual BenchCall &call() = 0;
  // Fills in the times of kernels that can run the call.
  virtual void time(std::vector<KernelTime> *kernels) = 0;
};

// Throws std::runtime_error when the device cannot be used or has no room.
std::unique_ptr<BenchTimer> make_host_timer(const BenchOptions &options, int32_t device);
// nullptr: this build has no device timer.
std::unique_ptr<BenchTimer> make_device_timer(const BenchOptions &options, int32_t ordinal);

[[noreturn]] void throw_last_error(const char *what);

}  // namespace gpuopt_cli
