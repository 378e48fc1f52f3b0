// Why warps did not issue: the sampled reasons, and what each asks for.
#pragma once
#include "gpuopt_advise/report.h"

namespace gpuopt_advise {

struct Stall {
  const char *metric;   // warps that wait so while an instruction issues, on the average
  const char *name;     // as ncu calls it
  const char *meaning;  // what they wait for
  const char *next;     // what would have them wait less; empty: nothing, it is no loss
};

extern const Stall kStalls[];
extern const size_t kStallCount;

struct TopStall {
  const Stall *stall = nullptr;  // nullptr: the report has none
  double percent = 0;            // of all that warps did in their time
};
// The greatest that is a loss.
TopStall top_stall(const Kernel &kernel);

}  // namespace gpuopt_advise
