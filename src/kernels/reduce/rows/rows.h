// The kernel of reduce_rows as the host knows it.
#pragma once

#include "reduce/common/divide.cuh"
#include "reduce/common/output.cuh"

namespace gpuopt {

constexpr int kRowThreads = 256;

// What every thread looks at comes first: each further line of the parameters costs a miss in the constant cache.
struct RowWalk {
  View x;
  int64_t length;
  uint32_t rows;        // of all matrices together
  int16_t log_per_row;  // of the threads of a row, 32 to kRowThreads
  bool has_many;        // matrices
  PlainTotals plain;    // where write_plain() writes; NULL: see output
  UnsignedDivider per_matrix;
  View y;
};

// kWhole: rows of one matrix that are whole vectors at their boundaries, and totals of the commonest kind: half the
// instructions before the first load, of which a small call waits for every line, and a large one issues them all.
constexpr bool has_whole(int dtype, int op) {
  return (op == kSum || op == kExtreme || op == kArg) && is_common_float(dtype);
}

// Compiled in common/rows.cu.
template <int kDtype, int kOp, bool kWhole = false>
__global__ void reduce_rows_kernel(OpState state, RowWalk walk, ReduceOutput output);

}  // namespace gpuopt
