// The rows of the fused_table suite as tables: one for each way operands lie, chains down, types across.
#pragma once
#include <string>
#include <vector>

#include "record.h"

namespace gpuopt_bench {

// "" when there are none.
std::string cell_tables(const std::vector<Row> &rows);

}  // namespace gpuopt_bench
