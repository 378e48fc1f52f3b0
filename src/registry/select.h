// From a problem to the kernel that runs it. Dispatch and explain share select(): explain only passes a
// visitor.
#pragma once
#include <string>
#include <vector>

#include "environment.h"
#include "gpuopt/kernel.h"
#include "needs.h"
#include "registry.h"

namespace gpuopt {

class Tuning;

// What of a handle's configuration selection depends on.
struct Policy {
  ForcedNames forced;
  std::vector<std::string> disabled;  // globs
  // Who asked for these and turned the fallback off, as messages name him: "options.kernel", "GPUOPT_DISABLE".
  const char *forced_by = "", *disabled_by = "", *fallback_off_by = "";
  const Tuning *tuning = nullptr;  // nullptr: no tuned entry has a say
  bool cpu_allowed = true;         // HOST kernels may run on this handle's host data
  bool any_build = false;          // kernels count as compiled for every device
  bool all_needs = false;          // rejects are told with everything else that their kernels lack
  bool cpu_is_fallback = false;    // and when one does, it is a fallback (no device was found, or host data on a GPU)
};

// What prepare() said NOT_SUPPORTED to, for one problem: a kernel, or one of its algorithms.
struct Refusal {
  const gpuopt_kernel *kernel;
  const char *algorithm;  // interned; nullptr: the kernel itself
};
using Refusals = std::vector<Refusal>;

// The choice: one kernel, or two steps (first writes fp32 scratch, second reads it).
struct Selection {
  gpuopt_status status = GPUOPT_NOT_SUPPORTED;
  std::string message;  // why, when status is not OK: without the function's name
  const gpuopt_kernel *kernel = nullptr;
  const gpuopt_kernel *second = nullptr;
  const char *algorithm = nullptr;  // of kernel, interned; nullptr: its own choice
  const char *name = nullptr;       // interned; "kernel", "kernel@algorithm", "first+second" for two steps
  int32_t how = GPUOPT_HOW_NONE;
  double predicted_us = 0;
  int32_t arch = 0, second_arch = 0;  // architectures of their code on this device (compiled_code.h)
  size_t scratch = 0, zeroed = 0;     // both steps together; scratch includes the intermediate
  size_t workspace() const { return workspace_bytes(scratch, zeroed); }
};

struct Visitor {
  virtual void candidate(const gpuopt_candidate &candidate) = 0;
  // A tuned entry for the problem that is not used; before the candidates.
  virtual void passed_over(const char *, int32_t /*reject*/, const std::string & /*why*/) {}
  virtual ~Visitor() = default;
};

// refused: what cannot take this problem, as prepare() found out; or nullptr. Of the problem only `kernel` changes, to the one
// that is asked.
Selection select(gpuopt_problem &problem, const Policy &policy, const Snapshot &kernels, Visitor *visit,
                 const Refusals *refused = nullptr);

}  // namespace gpuopt
