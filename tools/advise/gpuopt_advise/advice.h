// What a kernel of a report is bound by, why that is known, and what to do about it.
#pragma once
#include "gpuopt_advise/rules.h"
#include "gpuopt_advise/stalls.h"

namespace gpuopt_advise {

// A condition that held, a quantity against its threshold; or a fact, which has none.
struct Evidence {
  Quantity what;
  bool at_least;
  double value, threshold;  // threshold 0: a fact
  std::string from;         // the metrics
};

struct Finding {
  const Rule *rule = nullptr;
  std::vector<Evidence> evidence;
  double gain = 0;  // "up to so many times" by these counters; 0: they do not say
};

struct Advice {
  // rule is nullptr where the report does not have what any rule reads: `missing` says what.
  Finding verdict;
  std::vector<Finding> also;  // other losses, most gain first, and remarks
  std::string next;           // the technique, made out for this kernel
  std::string limiter;        // of the verdict occupancy: "registers (168 a thread)"
  TopStall stall;
  std::vector<Quantity> missing;  // that rules read and the report has not
};

Advice advise(const Kernel &kernel);

}  // namespace gpuopt_advise
