// The kernels of reduce_rows_group as the host knows them.
#pragma once

#include "common/dtypes.cuh"
#include "reduce/common/divide.cuh"
#include "reduce/common/output.cuh"

namespace gpuopt {

constexpr int kGroupThreads = 256;
constexpr int kGroupRows = 4;  // rows of a thread
// A load is 16 bytes. Where rows begin anywhere, that is an aligned vector with an element of the row, of which the others
// are put out, for the commonest reductions; else an element, converted by a type that is known at run time.
enum class GroupLoads { vectors, pieces, any };
constexpr bool has_pieces(int dtype, int op) {
  return (op == kSum || op == kExtreme || op == kArg) && is_common_float(dtype);
}
// Blocks a multiprocessor: that many are launched, and registers are to suffice for them.
constexpr int group_blocks(int dtype, int op, GroupLoads loads, int cc) {
  if ((loads == GroupLoads::vectors && (op == kDot || dtype_bytes(dtype) == 1)) || op == kWideSum) return 2;
  return loads == GroupLoads::pieces && cc >= 100 ? 3 : 4;
}
constexpr int64_t kGroupMemory = 32 * 1024;  // bytes of results that a block keeps

// What is looked at before the first load comes first: each further line of the parameters costs a miss in the constant
// cache.
struct GroupWalk {
  View x;                  // of elements of any type all steps but col_step in bytes
  int32_t group, vectors;  // lanes a row, a power of two; loads a row
  uint32_t rows;           // of all matrices together
  uint32_t range, stage;   // rows of a block, and those whose results it keeps before it writes them
  int32_t cols, whole;     // whole: of the first vectors of a row, those that end within it wherever it begins
  bool has_many;           // matrices
  UnsignedDivider per_matrix;
  View y;
};

// Compiled in common/rows_group.cu.
template <int kDtype, int kOp>
__global__ void reduce_group_vectors(OpState state, GroupWalk walk, ReduceOutput output);
template <int kDtype, int kOp>
__global__ void reduce_group_pieces(OpState state, GroupWalk walk, ReduceOutput output);
template <int kDtype, int kOp>
__global__ void reduce_group_any(OpState state, GroupWalk walk, ReduceOutput output);

}  // namespace gpuopt
