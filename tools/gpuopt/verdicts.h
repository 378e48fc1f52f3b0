// What explain says of a call, kept in the order in which it is read: the chosen kernel, the accepted by predicted time, the
// rejected by reason.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"
#include "session.h"

namespace gpuopt_cli {

using Verdict = gpuopt_check::Candidate;  // predicted_us is 0 where there is none

struct Reason {
  std::string text;
  std::vector<std::string> kernels;
};

class Verdicts {
 public:
  static void take(void *verdicts, const gpuopt_candidate *candidate);  // a gpuopt_explain_fn
  // After the last candidate. Accepted kernels without a prediction come last, by name.
  void sort();

  const std::vector<Verdict> &all() const { return all_; }
  const Verdict *chosen() const;  // or nullptr
  const Verdict *find(const std::string &kernel) const;
  std::vector<const Verdict *> accepted() const;  // the chosen one first
  std::vector<const Verdict *> rejected() const;
  std::vector<Reason> reasons() const;  // of the rejected, most kernels first

 private:
  std::vector<Verdict> all_;
};

const char *verdict_name(int32_t verdict);  // "chosen"
const char *how_name(int32_t how);          // "predicted"

bool has_cuda_kernels();  // has this build any

// Why kernels of the device are missing in this build, where they are: a sentence, or "". device: those of the verdicts.
std::string build_note(const gpuopt_device_facts &device, const Verdicts &verdicts);

}  // namespace gpuopt_cli
