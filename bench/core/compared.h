// By what kernels of one call are compared where a choice is judged and predictions are fitted: as `gpuopt tune` compares them, of a
// short call by both modes.
#pragma once
#include <vector>

#include "record.h"

namespace gpuopt_bench {

struct ModeTimes {
  double single_us = 0, graph_us = 0;  // 0: not measured
};

// Of each kernel, in order; 0: it was not measured as the others were. Where the fastest is short and any was captured, the mean of
// both modes of those that were; else single calls.
std::vector<double> compared_us(const std::vector<ModeTimes> &kernels);

// Of a record's rows: what each of ours in mode S amounts to, by its place; of other rows 0.
std::vector<double> compared_us(const std::vector<Row> &rows);

}  // namespace gpuopt_bench
