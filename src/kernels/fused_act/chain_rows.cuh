// The interpreter of fused_act_chain for aligned problems: no heads, no tails, no crossings, so that a stage costs a few
// instructions beside those of its elements.
//
// A thread holds 16 bytes of columns of kRows rows: interpreting, addresses, and vectors along the row are shared by them.
// The first matrix operand is loaded together with x, so that two reads are under way at once.
#ifndef GPUOPT_KERNELS_FUSED_ACT_CHAIN_ROWS_CUH
#define GPUOPT_KERNELS_FUSED_ACT_CHAIN_ROWS_CUH

#include "fused_act/chain_steps.cuh"
#include "fused_act/cost.h"

namespace gpuopt {

constexpr int kChainRows = 2;

struct ChainRowsWork {
  ChainSteps<float> steps;
  int32_t rows, vectors;  // of 16 bytes in a row
  int32_t across;         // log2 of a block's threads along a row
  SmallDivider by_blocks;
};

// A thread's 16 bytes of columns of x, in its first row; the others lie down rows apart.
struct RowsSpot {
  int32_t vector, first, down, rows;
  __device__ __forceinline__ bool exists(int r) const { return r == 0 || first + r * down < rows; }
};

template <class E, int K>
__device__ __forceinline__ E *address_of(const View &view, const RowsSpot &spot, int r) {
  return static_cast<E *>(view.data) +
         (blockIdx.y * view.batch_step + (spot.first + r * spot.down) * view.row_step + spot.vector * K);
}
template <class E, int K, int U>
__device__ __forceinline__ void load_rows(const View &view, const RowsSpot &spot, Bits<E, K> (&bits)[U]) {
#pragma unroll
  for (int r = 0; r < U; ++r) {
    if (spot.exists(r)) bits[r] = load_bits<E, K>(address_of<E, K>(view, spot, r));
  }
}
template <class E, int K, int U>
__device__ __forceinline__ void widen_rows(const Bits<E, K> (&bits)[U], float (&to)[U * K]) {
#pragma unroll
  for (int r = 0; r < U; ++r) {
    float row[K];
    widen_bits(bits[r], row);
#pragma unroll
    for (int e = 0; e < K; ++e) to[r * K + e] = row[e];
  }
}
template <class E, int K, int U>
__device__ __forceinline__ void read_rows(const View &view, const RowsSpot &spot, float (&to)[U * K]) {
  Bits<E, K> bits[U] = {};
  load_rows(view, spot, bits);
  widen_rows(bits, to);
}
template <class E, int K, int U>
__device__ __forceinline__ void store_rows(const View &view, const RowsSpot &spot, const float (&from)[U * K]) {
#pragma unroll
  for (int r = 0; r < U; ++r) {
    float row[K];
#pragma unroll
    for (int e = 0; e < K; ++e) row[e] = from[r * K + e];
    if (spot.exists(r)) store_bits(address_of<E, K>(view, spot, r), narrow_bits<E>(row));
  }
}
template <class E, int K, int U>
__device__ __forceinline__ void read_per_col(const View &view, const RowsSpot &spot, float (&to)[U * K]) {
  float row[K];
  widen_bits(load_bits<E, K>(static_cast<const E *>(view.data) + (blockIdx.y * view.batch_step + spot.vector * K)),
             row);
#pragma unroll
  for (int e = 0; e < U * K; ++e) to[e] = row[e % K];
}

template <class T>
__global__ void __launch_bounds__(kRunThreads, 2)
    fused_act_chain_rows_kernel(const __grid_constant__ ChainRowsWork work) {
  constexpr int K = 16 / sizeof(T), U = kChainRows;
  using Step = ChainSteps<float>::Step;
  const ChainSteps<float> &steps = work.steps;
  RowsSpot spot;
  spot.rows = work.rows;
  spot.down = kRunThreads >> work.across;
  int32_t block;
  const int32_t row_block = work.by_blocks.divide(static_cast<int32_t>(blockIdx.x), block);
  spot.vector = (block << work.across) + static_cast<int32_t>(threadIdx.x & ((1u << work.across) - 1));
  spot.first = row_block * (spot.down * U) + static_cast<int32_t>(threadIdx.x >> work.across);
  if (spot.vector >= work.vectors || spot.first >= work.rows) return;
  Bits<T, K> loaded[U] = {}, ahead[U] = {};
  load_rows(steps.step[0].operand, spot, loaded);
  if (steps.ahead > 0) load_rows(steps.step[steps.ahead].operand, spot, ahead);
  float x[U * K], a[U * K];
  widen_rows(loaded, x);
#pragma unroll 1
  for (int32_t s = 1; s < steps.count; ++s) {
    const Step &step = steps.step[s];
    const bool is_float = sizeof(T) == 4 || step.operand.dtype == GPUOPT_F32;
    if (step.kind == GPUOPT_STAGE_STORE) {
      if (is_float)
        store_rows<float, K, U>(step.operand, spot, x);
      else
        store_rows<T, K, U>(step.operand, spot, x);
      continue;
    }
    if (step.reads == kNothing) {
      apply_function(step.kind, step.v0, step.v1, x);
      continue;
    }
    if (step.reads == kMatrix && s == steps.ahead)
      widen_rows(ahead, a);
    else if (step.reads == kMatrix && is_float)
      read_rows<float, K, U>(step.operand, spot, a);
    else if (step.reads == kMatrix)
      read_rows<T, K, U>(step.operand, spot, a);
    else if (step.reads == kPerCol && is_float)
      read_per_col<float, K, U>(step.operand, spot, a);
    else if (step.reads == kPerCol)
      read_per_col<T, K, U>(step.operand, spot, a);
    const bool outer = step.kind == GPUOPT_STAGE_ADD_OUTER;
    if (outer || step.reads == kPerRow) {
      const View &view = outer ? step.rows : step.operand;
#pragma unroll
      for (int r = 0; r < U; ++r) {
        const int32_t i = spot.exists(r) ? spot.first + r * spot.down : spot.first;
        const float value =
            load_element<float>(view.data, blockIdx.y * view.batch_step + i * view.row_step, view.dtype);
#pragma unroll
        for (int e = 0; e < K; ++e) a[r * K + e] = outer ? a[r * K + e] * value : value;
      }
    }
    apply_operand(step.kind, step.v0, a, x);
  }
}

// Whether every vector of x, out and operands of the problem, all of one type or f32, can be moved whole.
inline bool is_aligned_chain(const gpuopt_problem &problem) {
  const int size = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  const auto base_aligned = [](const gpuopt_operand &o) { return o.align >= 16 && o.stride_align >= 16; };
  bool aligned = problem.n * size % 16 == 0 && is_aligned_to(problem.operand[GPUOPT_OPERAND_X], 16) &&
                 is_aligned_to(problem.operand[GPUOPT_OPERAND_OUT], 16);
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    const gpuopt_operand &per_col = stage.kind == GPUOPT_STAGE_ADD_OUTER ? stage.b : stage.a;
    if (stage.a.m.dtype == 0 || stage.form == GPUOPT_PER_ROW) continue;
    if (stage.kind == GPUOPT_STAGE_ADD_OUTER || stage.form == GPUOPT_PER_COL)
      aligned = aligned && per_col.m.ld == 1 && base_aligned(per_col);
    else
      aligned = aligned && is_aligned_to(stage.a, 16);
  }
  return aligned;
}

template <class T>
gpuopt_status launch_chain_rows(const gpuopt_problem &problem, const gpuopt_launch *launch, const char *name,
                                const ChainSteps<float> &steps) {
  ChainRowsWork work;
  work.steps = steps;
  work.rows = static_cast<int32_t>(problem.m);
  work.vectors = static_cast<int32_t>(problem.n * static_cast<int64_t>(sizeof(T)) / 16);
  work.across = 0;
  while ((1 << work.across) < kRunThreads && (1 << work.across) < work.vectors) ++work.across;
  const int64_t blocks = ceil_div(work.vectors, int64_t{1} << work.across);
  const int64_t block_rows = int64_t{kRunThreads >> work.across} * kChainRows;
  work.by_blocks = SmallDivider(blocks);
  const dim3 grid(static_cast<unsigned>(ceil_div(problem.m, block_rows) * blocks),
                  static_cast<unsigned>(problem.batch));
  return launch_kernel(launch, name, grid, kRunThreads, 0, fused_act_chain_rows_kernel<T>, work);
}

}  // namespace gpuopt

#endif
