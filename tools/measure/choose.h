// Which kernel a problem, or a class of problems, is to run, by two measurements that know nothing of each other. A choice that
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
  std::string untuned;  // what runs without any entry
  Times first, second;
};
// Of a class: the kernel of all its problems that takes the least geometric mean of times over the standing one's ("": what each
// problem runs without an entry, by that name in its times). It replaces that one if it does so in both measurements by more than
// their noise, and takes no problem more than kMostLoss longer than what runs there untuned.
std::string choose_for_class(const std::string &standing, const std::vector<ProblemTimes> &problems);
constexpr double kMostLoss = 0.03;

}  // namespace gpuopt_measure
