// A kernel, or two steps, put to one problem: rejected with a reason, or accepted with a predicted time.
#pragma once
#include <string>
#include <vector>

#include "compiled_code.h"
#include "needs.h"
#include "select.h"
#include "two_step.h"

namespace gpuopt {

struct Candidate {
  const gpuopt_kernel *kernel = nullptr, *second = nullptr;
  const char *algorithm = nullptr;  // of kernel, interned
  gpuopt_reject reject = {};
  const gpuopt_problem *rejected_problem = nullptr;  // whose operands the reject speaks of
  bool accepted = false;
  int32_t arch = 0, second_arch = 0;
  double predicted_us = 0;  // 0: never automatic
  size_t scratch = 0, zeroed = 0;

  Candidate() {}  // not "= default", for which emplace_back would clear all bytes first
};

// By what one selection judges its candidates.
struct Rules {
  const Policy &policy;
  const Refusals *refused;  // or nullptr
  CodeOnDevice code;
  bool all_enabled;
};

// Of a problem that is judged only `kernel` changes, to the one that is asked.

// Has prepare() refused this problem for the kernel (algorithm nullptr), or for this algorithm of it?
bool is_refused(const Rules &rules, const gpuopt_kernel &kernel, const char *algorithm);

// Writes the verdict where it stays: a selection judges hundreds, and copying each costs more than judging it.
void judge(const Registered &entry, gpuopt_problem &p, const AskedOperands &asked, const Rules &rules, Candidate *c);

// The two-step candidate of one gemm kernel and one fused_act kernel. The reject, if any, is the first
// step's.
Candidate judge_two_step(const Registered &gemm, const Registered &act, TwoStep &steps, const Rules &rules);

// What the configuration names: a kernel of the problem's op, or with second two steps. steps: nullptr for a problem that
// does not split.
Candidate judge_named(const gpuopt_kernel &kernel, const gpuopt_kernel *second, gpuopt_problem &p, TwoStep *steps,
                      const Rules &rules, const Snapshot &kernels);

// Can c run by its prediction, and faster than best, which may be nullptr?
inline bool better(const Candidate &c, const Candidate *best) {
  return c.accepted && c.predicted_us > 0 && (best == nullptr || c.predicted_us < best->predicted_us);
}

// The accepted candidate with the least prediction, ties by name, of single kernels and, if the call splits in two steps, of
// those that refuse no more than a stage. No kernel: none was accepted. Keeps one candidate at a time, as most selections need.
Candidate least_predicted(gpuopt_problem &p, TwoStep *steps, const Rules &rules, const Snapshot &kernels);

std::string name_of(const Candidate &c);
// The reject, in the words of the call and of whoever disabled the kernel.
std::string why_not(const gpuopt_problem &p, const Policy &policy, const Candidate &c);

}  // namespace gpuopt
