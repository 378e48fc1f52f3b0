// Which kernel a problem is to run, by two measurements that know nothing of each other. A choice that
// stands is replaced only by a kernel that takes less time in both, each time by more than noise.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "samples.h"

namespace gpuopt_measure {

using Times = std::map<std::string, Time>;  // by kernel

// The kernel with the least median of those that were measured; "" of none.
std::string fastest(const Times &times);

// first: of all candidates; second: at least of the standing one and of fastest(first).
std::string choose(const std::string &standing, const Times &first, const Times &second);

struct ProblemTimes {
  Times first, second;
};

}  // namespace gpuopt_measure
