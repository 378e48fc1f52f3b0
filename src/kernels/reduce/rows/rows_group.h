// The kernels of reduce_rows_group as the host knows them.
#pragma once

#include "reduce/common/divide.cuh"
#include "reduce/common/output.cuh"

namespace gpuopt {

constexpr int kGroupThreads = 256;
constexpr int kGroupRows = 4;  // rows of a thread
// A load is 16 bytes; where rows are not at 16-byte boundaries one element, of a type known when it is compiled for the
// commonest reductions, and else converted by a type that is known at run time.
enum class GroupLoads { vectors, elements, any };
// Whether a choice has a kernel of element loads of its own.
constexpr bool has_elements(int dtype, int op) {
  return (op == kSum || op == kExtreme || op == kArg) &&
         (dtype == GPUOPT_F32 || dtype == GPUOPT_F16 || dtype == GPUOPT_BF16);
}
// Blocks a multiprocessor: that many are launched, and registers are to suffice for them.
constexpr int group_blocks(int dtype, int op, bool vectors) {
  return (vectors && (op == kDot || dtype_bytes(dtype) == 1)) || op == kWideSum ? 2 : 4;
}
constexpr int64_t kGroupMemory = 32 * 1024;  // bytes of results that a block keeps

// What is looked at before the first load comes first: each further line of the parameters costs a miss in the constant
// cache.
struct GroupWalk {
  View x;                  // of elements of any type all steps but col_step in bytes
  int32_t group, vectors;  // lanes a row, a power of two; loads a row
  uint32_t rows;           // of all matrices together
  uint32_t range, stage;   // rows of a block, and those whose results it keeps before it writes them
  int32_t cols;
  bool has_many;  // matrices
  UnsignedDivider per_matrix;
  View y;
};

// Compiled in common/rows_group.cu.
template <int kDtype, int kOp>
__global__ void reduce_group_vectors(OpState state, GroupWalk walk, ReduceOutput output);
template <int kDtype, int kOp>
__global__ void reduce_group_elements(OpState state, GroupWalk walk, ReduceOutput output);
template <int kDtype, int kOp>
__global__ void reduce_group_any(OpState state, GroupWalk walk, ReduceOutput output);

}  // namespace gpuopt
