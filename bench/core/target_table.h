// The targets among a record's checks, the numbers that the library is held to, as tables.
#pragma once
#include <string>
#include <vector>

#include "record.h"

namespace gpuopt_bench {

// The section "Targets" of a record's markdown; "" when there are none.
std::string target_table(const std::vector<Check> &checks);
// The same for a terminal: a line a target, then "met X of Y".
std::string target_lines(const std::vector<Check> &checks);

}  // namespace gpuopt_bench
