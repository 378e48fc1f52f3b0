// What `gpuopt tune suite` says at the end.
#pragma once
#include <string>
#include <vector>

#include "halves.h"
#include "json.h"

namespace gpuopt_cli {

struct SuiteReport {
  const std::vector<gpuopt_measure::Judged> &judged;
  std::vector<std::string> ops;
  uint64_t seed;
  int64_t count;
  size_t left;  // problems that there was no time for
};

Json suite_json(const SuiteReport &report);
void print_suite(const SuiteReport &report);

}  // namespace gpuopt_cli
