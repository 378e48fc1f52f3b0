// The kernel of reduce_split_lines as the host knows it.
#pragma once

#include "reduce/common/divide.cuh"
#include "reduce/common/meeting.h"
#include "reduce/common/output.cuh"

namespace gpuopt {

constexpr int kMaxLineThreads = 512;

struct LineWalk {
  View x, y;
  int64_t length, range;
  UnsignedDivider splits, per_matrix;
  int32_t split_count;
  bool has_many;  // results
  bool by_rows;   // a split is a row
};

// Compiled in common/split_lines.cu.
template <int kDtype, int kOp>
__global__ void reduce_line_kernel(OpState state, LineWalk walk, Meeting meeting, ReduceOutput output);

}  // namespace gpuopt
