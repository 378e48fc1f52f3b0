// The kernels of norm_staying_rows as the host knows them.
#pragma once

#include <type_traits>

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kMostStaying = 4;         // vectors of a thread
constexpr int kMostStayingWarps = 32;   // of a block
constexpr int kMostStayingGroups = 16;  // of several warps: each has a barrier
constexpr int kMostStayingBlocks = 16;  // of a cluster
constexpr int kStayingUnit = 2;         // vectors that rows which begin anywhere are cut into: sectors of memory
constexpr int kCounterStep = 32;        // counters of classes are so many words apart: lines of memory

// Threads of a block at most, as registers allow: a thread holds a row in fp32.
constexpr int staying_threads(bool narrow, int vectors) { return narrow && vectors == kMostStaying ? 896 : 1024; }

// A layer norm's two, a softmax's none.
constexpr int staying_weights(int32_t norm) {
  return norm == GPUOPT_NORM_LAYERNORM ? 2 : norm == GPUOPT_NORM_RMSNORM ? 1 : 0;
}
// Bytes of shared memory: of a warp's share of the weights, in fp32, of those of a row's head and tail, and of a warp's share of
// a row on its way, with its residual.
constexpr int staying_weight_bytes(bool narrow, int weights, int vectors) {
  return vectors * 32 * (narrow ? 8 : 4) * 4 * weights;
}
constexpr int staying_single_bytes(int weights, bool any) { return weights > 0 && any ? 512 : 0; }
constexpr int staying_row_bytes(int vectors, bool adds) { return vectors * 32 * 16 * (adds ? 2 : 1); }
// Where the blocks of a cluster leave what they have of a group's row, in turn in two places.
struct alignas(16) StayingMeeting {
  float of_block[2][kMostStayingBlocks][4];
  unsigned long long arrived[2];
};
constexpr int staying_bytes(bool narrow, int weights, int vectors, bool adds, bool any, int warps, int groups,
                            int slots, bool meets) {
  return warps * (staying_weight_bytes(narrow, weights, vectors) + groups * slots * staying_row_bytes(vectors, adds)) +
         staying_single_bytes(weights, any) + (meets ? groups * static_cast<int>(sizeof(StayingMeeting)) : 0);
}

// The blocks of a cluster share a row. A block's groups of warps (threadIdx.y) each have a row at a time, and its warps
// (threadIdx.x / 32) their share of it.
struct StayingRows {
  uint32_t *counters;  // that numbers of rows are drawn from, of each class; null: all rows are taken in turn
  int32_t classes;     // rows number k of each `classes` are of class k, and begin alike
  uint32_t per_class;  // 2^20 / classes, and one more
  int32_t step;        // rows from one to the next of a group, where they are taken in turn
  int32_t in_turn;     // rows of a group that are, before it draws others
  int32_t beyond;      // numbers that are drawn from a counter, less its class' rows
  int32_t block_bits;  // 2^block_bits blocks of a cluster
  int32_t slots_at, meetings_at;  // bytes of shared memory before those
  int32_t slot_step;              // bytes from a group's slot to its other one; 0: it has one
  int32_t low, extra, unit;  // vectors of a warp, in units: low, of the first `extra` one more; where rows begin whole
  float per_element;         // 1 / columns
  uint32_t x_pitch, residual_pitch, out_pitch, sum_pitch;  // bytes from a row to the next
};

// Compiled in common/staying_rows*.cu.
template <class T, int kNorm, int V, bool kAdds, bool kAny, class Chain>
__global__ void norm_staying_rows_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ Chain chain,
                                         const __grid_constant__ StayingRows rows);

// Those there are: X(T, norm, V, adds, any, Chain).
#define GPUOPT_STAYING_TYPES_(X, ...) X(float, __VA_ARGS__) X(__half, __VA_ARGS__) X(__nv_bfloat16, __VA_ARGS__)
#define GPUOPT_STAYING_SHAPES_(X, norm, ...)     \
  GPUOPT_STAYING_TYPES_(X, norm, 1, __VA_ARGS__) \
  GPUOPT_STAYING_TYPES_(X, norm, 2, __VA_ARGS__) \
  GPUOPT_STAYING_TYPES_(X, norm, 3, __VA_ARGS__) GPUOPT_STAYING_TYPES_(X, norm, 4, __VA_ARGS__)
#define GPUOPT_STAYING_INSTANCES(X, any, Chain)                       \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_LAYERNORM, false, any, Chain) \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_RMSNORM, false, any, Chain)
#define GPUOPT_STAYING_SOFTMAX_INSTANCES(X, any)                      \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_SOFTMAX, false, any, NoChain) \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_LOG_SOFTMAX, false, any, NoChain)
#define GPUOPT_STAYING_SUM_INSTANCES(X, any)                           \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_LAYERNORM, true, any, NoChain) \
  GPUOPT_STAYING_SHAPES_(X, GPUOPT_NORM_RMSNORM, true, any, NoChain)

}  // namespace gpuopt
