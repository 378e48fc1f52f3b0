// The rows of the ladder suite as tables of rungs: a table for each set of types, a group of columns for each size.
#pragma once
#include <string>
#include <vector>

#include "record.h"

namespace gpuopt_bench {

// "" when there are none.
std::string ladder_tables(const std::vector<Row> &rows);

}  // namespace gpuopt_bench
