// From a problem to the kernel that runs it. Dispatch and explain share select(): explain only passes a
// visitor.
#pragma once
#include <string>
#include <vector>

#include "environment.h"
#include "gpuopt/kernel.h"
#include "registry.h"

namespace gpuopt {

// What of a handle's configuration selection depends on.
struct policy {
  forced_names forced;
  std::vector<std::string> disabled;  // globs
  bool cpu_allowed = true;            // HOST kernels may run on this handle's host data
  bool cpu_is_fallback = false;  // and when one does, it is a fallback (no device was found, or host data on a GPU)
};

// The choice: one kernel, or two steps (first writes fp32 scratch, second reads it).
struct selection {
  gpuopt_status status = GPUOPT_NOT_SUPPORTED;
  std::string message;  // why, when status is not OK: without the function's name
  const gpuopt_kernel *kernel = nullptr;
  const gpuopt_kernel *second = nullptr;
  const char *name = nullptr;  // interned; "first+second" for two steps
  int32_t how = GPUOPT_HOW_NONE;
  double predicted_us = 0;
  size_t scratch = 0, zeroed = 0;  // both steps together; scratch includes the intermediate
};

struct visitor {
  virtual void candidate(const gpuopt_candidate &candidate) = 0;
  virtual ~visitor() = default;
};

selection select(const gpuopt_problem &problem, const policy &policy, const snapshot &kernels, visitor *visit);

}  // namespace gpuopt
