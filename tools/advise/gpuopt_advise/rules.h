// The rules, as data: what counters must say for a kernel to be bound by something, and what is to be done then. The thresholds
// are those of the seeds, the teaching texts that this project began with ("seed 004.1" is section 1 of the fifth of them), of
// Nsight Compute's own rules, or of this project where neither has one.
#pragma once
#include "gpuopt_advise/quantities.h"

namespace gpuopt_advise {

// The decision tree: the first part of which a rule holds gives the verdict.
//   launch   too few blocks: nothing else the counters say matters
//   loss     work that need not be done; of several the one whose end would gain most
//   ceiling  a unit at its limit; the busiest, useful work first (`favour`)
//   latency  nothing is near its limit: warps wait
// remark: holds beside a verdict and never is one.
enum class Part { launch, loss, ceiling, latency, remark };

struct Condition {
  Quantity what;
  bool at_least;  // else below
  double threshold;
};

struct Rule {
  const char *bound;  // the verdict's name, for programs: "uncoalesced"
  Part part;
  Condition conditions
      [4];  // all must hold; of what the report does not know, none does. Those with threshold 0 are no conditions
  Quantity facts[4];     // told beside the conditions; duration: none
  double favour;         // of ceilings: points that the unit is ahead of others
  Quantity gain;         // what is to be gained by these counters; duration: they do not say
  const char *verdict;   // "bound by ..."
  const char *next;      // the technique
  const char *expected;  // what its source promises; empty: nothing
  const char *shown_by;  // kernels of ours, before and after, or one that is there already
  const char *source;
};

extern const Rule kRules[];
extern const size_t kRuleCount;

}  // namespace gpuopt_advise
