// persistent_row.cuh as the host knows it.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kPersistentThreads = 256, kPersistentBlocks = 3;    // that have slices of a block, of an SM
constexpr int kPersistentBlockThreads = kPersistentThreads + 32;  // and the warp that meets other blocks
constexpr int kSliceVectors = 4;                                  // of a thread
constexpr int kLagTurns = 2, kAheadTurns = 1, kMostSlices = 96;
constexpr size_t kRingBytes = size_t{kAheadTurns + 1 + kLagTurns} * kSliceVectors * kPersistentThreads * 16;

// Rows that a group has drawn and not begun, and of a group's turns those that are kept.
constexpr int kDrawnTurns = 3, kKeptTurns = 8;

// In zeroed memory, which is left so.
struct PersistentGroup {
  unsigned left;               // blocks of the group that have ended
  uint64_t drawn[kKeptTurns];  // by turn: 1 + turn, and 1 + row or 0 for none, in 32 bits each
};

// Block b is slice b % slices of group b / slices. words: one for each row and slice, in zeroed memory.
struct PersistentWork {
  unsigned *drawn;  // rows, by all groups
  PersistentGroup *groups_of;
  uint64_t *words;
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
