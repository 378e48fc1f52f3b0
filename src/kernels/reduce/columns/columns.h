// The kernels of reduce_columns_vec16 as the host knows them.
#pragma once

#include "reduce/common/divide.cuh"
#include "reduce/common/meeting.h"
#include "reduce/common/output.cuh"

namespace gpuopt {

constexpr int64_t kMostRowsOfLane = 2048;  // a chain of additions; that many squares of a byte fit an int32_t
// Columns of a thread: 16 bytes of a row, 8 of 1-byte types.
__host__ __device__ constexpr int columns_of_thread(int bytes) { return bytes == 1 ? 8 : 16 / bytes; }
// Most threads of a block: fewer where a partial is large.
__host__ __device__ constexpr int column_threads(int bytes, int op) {
  return (op == kArg && bytes <= 2) || (op == kWideSum && bytes == 4) ? 256 : 512;
}
// Rows of a thread under way: fewer where their pieces, or what is kept of them, take many registers.
__host__ __device__ constexpr int rows_under_way(int bytes, int op) {
  return bytes == 1 && op == kDot ? 2 : bytes == 1 || op == kArg || op == kDot || op == kProduct ? 4 : 8;
}

// Of the totals of a strip that a cluster shares, how many are a block's.
__host__ __device__ constexpr int columns_of_share(int width, int block, int log_share) {
  const int left = width - (block << log_share), share = 1 << log_share;
  return left < 0 ? 0 : left < share ? left : share;
}

// What is looked at before the first load comes first: each further line of the parameters costs a miss in the constant
// cache.
struct ColumnWalk {
  View x;
  UnsignedDivider lanes;
  int32_t row_lanes;  // times lanes side by side: the threads of a block that have work
  UnsignedDivider clusters, strips;
  int32_t cluster_count;      // clusters of a strip, which meet in global memory
  int32_t cluster;            // blocks of each, which meet in shared memory
  int32_t log_share;          // of the columns of a strip, a power of two, whose totals one of them has then
  int32_t width;              // columns of a strip
  bool any_phase;             // rows of x begin anywhere
  bool y_pieces;              // y is read in pieces, at the same columns
  int64_t rows, cols, range;  // range: rows of a block
  View y;
};

struct PlainColumns {
  const void *x;
  int64_t ld, cols;
  PlainTotals out;
  int32_t each;                // rows of every lane of rows; the first `rest` have one more
  uint32_t magic;              // thread * magic >> 16 is its lane of rows
  int16_t rest, lanes, width;  // lanes side by side; columns of a strip, one piece fewer where rows begin anywhere
  int16_t row_lanes;           // of a block
  int16_t cluster, log_share;  // as above
};

// Few rows (columns_few.cuh).
constexpr int kFewRows = 16, kFewRowThreads = 128;
struct FewRows {
  const void *x;
  int64_t ld, cols;
  PlainTotals out;
  int32_t rows;
  int32_t most;  // OpState's
};

// Compiled in common/columns.cu.
template <int kDtype, int kOp>
__global__ void reduce_columns_kernel(OpState state, const __grid_constant__ ColumnWalk walk,
                                      const __grid_constant__ Meeting meeting,
                                      const __grid_constant__ ReduceOutput output);
template <int kDtype>
__global__ void reduce_plain_columns(const __grid_constant__ PlainColumns walk);
template <int kDtype, int kOp, bool kPieces, int kRows>
__global__ void reduce_few_rows(const __grid_constant__ FewRows walk);
template <int kDtype, int kOp, bool kPieces>
__global__ void reduce_rows_by_warps(const __grid_constant__ FewRows walk);

}  // namespace gpuopt
