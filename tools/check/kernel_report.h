// One kernel, checked on this machine: what its descriptor declares, and random problems within its needs.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "gpuopt/kernel.h"
#include "must_accept.h"
#include "session.h"
#include "spec.h"

namespace gpuopt_check {

// The handles that kernels are checked on: a CPU one, and one of a GPU where there is one.
class Machine {
 public:
  // device: GPUOPT_DEVICE_AUTO, GPUOPT_DEVICE_CPU (no GPU is used even if there is one), or an ordinal.
  // own_stream: the GPU's work goes to the stream that CUDA keeps for the calling thread, not to the default one.
  // workspace_limit: bytes that a call may use; 0: as many as a handle has.
  explicit Machine(int32_t device, bool own_stream = false, size_t workspace_limit = 0);
  ~Machine();
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  const std::string &error() const { return error_; }  // not empty: it cannot be used
  Session *cpu() const { return cpu_.get(); }
  Session *gpu() const { return gpu_.get(); }  // nullptr: there is none
  Session &session_of(const gpuopt_kernel &kernel) const;

 private:
  gpuopt_handle *cpu_handle_ = nullptr, *gpu_handle_ = nullptr;
  std::unique_ptr<Session> cpu_, gpu_;
  std::string error_;
};

struct CheckOptions {
  uint64_t seed = 1;
  int64_t first = 0;  // index of the first random problem
  int64_t problems = 20;
  int runs = 1;          // of each random problem, all with the same bits unless the kernel is not deterministic
  bool declared = true;  // put what the descriptor declares to the test
  Size size = Size::small;
  size_t workspace_limit = 0;  // bytes that a call may use; 0: as many as a handle has
};

struct KernelReport {
  std::string skipped;           // why it cannot run on this machine; empty: it was run
  Acceptance acceptance;         // of what it declares; only explained where it cannot run
  int64_t ran = 0, refused = 0;  // random problems
  std::vector<std::string> failures;
  bool failed() const { return !failures.empty() || !acceptance.failures.empty(); }
};

KernelReport check_kernel(const Machine &machine, const gpuopt_kernel &kernel, const CheckOptions &options);

// The random problem number index of an op at large, or of one kernel. hard_rows: what some problems may have; the others
// do not depend on it. Without values it is the same problem and its memory is empty.
Problem random_problem(const Needs &needs, const std::string &stream, uint64_t seed, int64_t index, Size size,
                       uint32_t hard_rows = 0, bool with_values = true);

}  // namespace gpuopt_check
