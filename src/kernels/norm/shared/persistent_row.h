// persistent_row.cuh as the host knows it.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kPersistentThreads = 256, kPersistentBlocks = 3;  // of a block, of an SM
constexpr int kSliceVectors = 4;                                // of a thread
constexpr int kLagTurns = 2, kAheadTurns = 1, kMostSlices = 64;
constexpr size_t kRingBytes = size_t{kAheadTurns + 1 + kLagTurns} * kSliceVectors * kPersistentThreads * 16;

// Block b is slice b % slices of group b / slices. words: one for each row and slice, in zeroed memory, as is the ticket
// of the blocks that leave.
struct PersistentWork {
  uint64_t *words;
  unsigned *ticket;
  int32_t slices, groups;
};

// Compiled in common/persistent_rows.cu. kAny: rows begin anywhere, of a softmax.
template <class T, int kNorm, bool kAny>
__global__ void norm_persistent_row_kernel(const __grid_constant__ RowWork<T> work, const PersistentWork shared);

// Those there are: X(T, norm, any).
#define GPUOPT_PERSISTENT_SOFTMAX_(X, T) X(T, GPUOPT_NORM_SOFTMAX, true) X(T, GPUOPT_NORM_LOG_SOFTMAX, true)
#define GPUOPT_PERSISTENT_INSTANCES(X) \
  GPUOPT_ROW_INSTANCES_OF(X, false)    \
  GPUOPT_PERSISTENT_SOFTMAX_(X, float) \
  GPUOPT_PERSISTENT_SOFTMAX_(X, __half) GPUOPT_PERSISTENT_SOFTMAX_(X, __nv_bfloat16)

}  // namespace gpuopt
