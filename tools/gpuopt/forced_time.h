// The time of one call on one kernel, as `gpuopt bench` takes it, for verbs that measure many things once.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bench_timer.h"

namespace gpuopt_cli {

// The kernel that runs the call on --device's device: the forced one if it can, or, where forced is "", the chosen one. "": none,
// and why.
std::string kernel_for(const gpuopt_call::Call &call, const std::string &forced, const std::string &device,
                       std::string *why);

// Times of kernels that can run the call, in turn. Throws std::runtime_error.
struct ShortTimer {
  int32_t ordinal = GPUOPT_DEVICE_CPU;
  double seconds = 0.3;  // of each kernel
  std::string data = "normal";
  bool cold = true;  // no operand is in a cache
};
std::vector<KernelTime> time_kernels(const gpuopt_call::Call &call, const std::vector<std::string> &kernels,
                                     const ShortTimer &how);

// Mode G where it was measured; 0: the kernel failed.
double us_of(const KernelTime &time);

}  // namespace gpuopt_cli
