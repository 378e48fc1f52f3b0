// Many kernels checked side by side. Each thread has handles of its own, on its own stream of the GPU, so that the calls of
// one overlap with the oracle's work of the others; processes would take turns on the GPU instead.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "kernel_report.h"

namespace gpuopt_check {

// Calls report(kernel, result) for every kernel in order, from one thread at a time. What a kernel's problems are does not
// depend on the number of threads. Returns what kept the machine from being used, or "".
std::string check_many(int32_t device, const std::vector<const gpuopt_kernel *> &kernels, const CheckOptions &options,
                       int threads, const std::function<void(const gpuopt_kernel &, const KernelReport &)> &report);

}  // namespace gpuopt_check
