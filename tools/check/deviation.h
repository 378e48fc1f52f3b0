// How far results lie from the truth, for people: compare() says whether they may.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "truth.h"

namespace gpuopt_check {

struct Deviation {
  std::string wrong;     // what compare() finds; "": all is right
  int64_t checked = 0;   // elements
  bool sampled = false;  // of some rows only
  double largest = 0;    // difference from the middle of what is right
  double relative = 0;   // that over the largest magnitude of a right value
  double share = 0;      // the largest difference over what its error class allows; beyond 1 something is wrong
};
Deviation deviation(const Problem &problem, const Truth &truth, const std::vector<uint8_t> &after);

}  // namespace gpuopt_check
