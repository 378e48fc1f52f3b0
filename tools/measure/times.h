// Times of the kernels of a problem.
#pragma once
#include <map>
#include <string>

#include "samples.h"

namespace gpuopt_measure {

using Times = std::map<std::string, Time>;  // by kernel

// The kernel with the least median of those that were measured; "" of none.
std::string fastest(const Times &times);

struct ProblemTimes {
  Times first;   // of all candidates, taken in turn
  Times second;  // of those that were near the best: in a race (race.h), relative to the kernel that stood
};

}  // namespace gpuopt_measure
