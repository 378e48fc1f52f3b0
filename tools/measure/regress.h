// Two measurements of the same things, of two builds or two days: what became slower.
#pragma once
#include <string>
#include <vector>

#include "samples.h"

namespace gpuopt_measure {

struct Row {
  std::string device, problem, kernel;  // what is compared with what
  Time time;
};

struct Change {
  Row before, after;
  double ratio = 1;                     // after over before
  bool known = true;                    // how far both may be off; else the two say nothing of each other
  bool slower = false, faster = false;  // by more than 2 % and the noise of both
};

// Rows of after that before has too, in their order. Device, problem and kernel make the pair.
std::vector<Change> changes(const std::vector<Row> &before, const std::vector<Row> &after);

}  // namespace gpuopt_measure
