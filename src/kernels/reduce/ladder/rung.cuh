// What the rungs of the teaching ladder share. A rung turns `count` numbers into one number a block; it is launched
// again over those until one is left, and a last kernel of one thread a matrix finishes (mean, root) and writes. The
// first pass reads the matrix, the others read partials: both look the same to the rung.
#pragma once

#include "common/divider.cuh"
#include "common/launch.h"
#include "reduce/common/descriptor.h"
#include "reduce/common/problem.h"

namespace gpuopt {

constexpr int kRungThreads = 256;
constexpr int64_t kRungGrid = 0x7fffffff;

struct RungInput {
  View x;
  Divider per_row, blocks_per_matrix;
  int64_t count, blocks;  // of a matrix: elements, and blocks that share them
  int32_t map;            // kValue, kSquare or kMagnitude

  // Element e of matrix p; 0 past the end.
  __device__ __forceinline__ float operator()(int64_t p, int64_t e) const {
    if (e >= count) return 0;
    int64_t j;
    const int64_t i = per_row.divide(e, j);
    const float value = static_cast<const float *>(x.data)[x.offset(p, i, j)];
    return map == kSquare ? value * value : map == kMagnitude ? fabsf(value) : value;
  }
};

// Which matrix this block works on, and which of the matrix's blocks it is.
struct RungBlock {
  int64_t p, index;
  __device__ __forceinline__ explicit RungBlock(const RungInput &in) {
    p = in.blocks_per_matrix.divide(int64_t{blockIdx.x}, index);
  }
};

// The number of grid-strided blocks that eight a multiprocessor make for all matrices together, where `tile` elements are
// a block's step; more where a chain of additions would grow past 512.
inline int64_t resident_rung_blocks(int64_t count, int64_t batch, const gpuopt_device_facts &device, int64_t tile) {
  const int64_t tiles = ceil_div(count, tile), resident = ceil_div(int64_t{8} * device.sm_count, batch);
  const int64_t least = ceil_div(tiles, 512), blocks = resident > least ? resident : least;
  return count <= kRungThreads * 8 ? 1 : tiles < blocks ? tiles : blocks;
}

// What this thread of a grid of fixed size adds up, by four accumulators and four loads under way.
constexpr int kAccumulators = 4;
__device__ __forceinline__ float strided_sum(const RungInput &in, const RungBlock &block) {
  const int64_t step = in.blocks * kRungThreads;
  float sums[kAccumulators] = {};
  for (int64_t e = block.index * kRungThreads + static_cast<int>(threadIdx.x); e < in.count;
       e += kAccumulators * step) {
    float x[kAccumulators];
#pragma unroll
    for (int a = 0; a < kAccumulators; ++a) x[a] = in(block.p, e + a * step);
#pragma unroll
    for (int a = 0; a < kAccumulators; ++a) sums[a] += x[a];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Joins the block's sums, which thread 0 gets: shuffles within each warp, one word a warp, one barrier, and shuffles
// within the first warp.
__device__ __forceinline__ float join_rung(float sum) {
  __shared__ float of_warp[kRungThreads / 32];
  const int tid = threadIdx.x;
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (tid % 32 == 0) of_warp[tid / 32] = sum;
  __syncthreads();
  if (tid >= 32) return 0;
  sum = tid < kRungThreads / 32 ? of_warp[tid] : 0;
#pragma unroll
  for (int distance = kRungThreads / 64; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  return sum;
}

// A template, so that every rung's file may hold it and the resources table finds the one that is linked.
template <int = 0>
__global__ void rung_finish(const float *totals, int64_t batch, ReduceOutput output) {
  const int64_t p = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (p < batch) write_result<float>(Sum<double>{}, output, p, 0, totals[p]);
}

using RungKernel = void (*)(RungInput, float *);

// A rung's kernel and how many blocks it takes for `count` elements of each of `batch` matrices.
struct ReduceRung {
  const char *name;
  RungKernel kernel;
  int64_t (*blocks)(int64_t count, int64_t batch, const gpuopt_device_facts &device);
};

inline int64_t rung_blocks(const gpuopt_problem &problem, const ReduceRung &rung, int64_t count) {
  return count > 0 ? rung.blocks(count, problem.batch, *problem.device) : 1;
}

// Two buffers, used in turn: the partials of the first pass fill the first, those of the second pass the other.
inline void rung_workspace(const gpuopt_problem &problem, const ReduceRung &rung, size_t *scratch, size_t *zeroed) {
  const int64_t first = rung_blocks(problem, rung, problem.m * problem.n);
  const int64_t second = rung_blocks(problem, rung, first);
  *scratch = static_cast<size_t>(problem.batch * (first + second)) * sizeof(float);
  *zeroed = 0;
}

// The matrix as the first pass reads it; its blocks are yet to be set.
inline RungInput rung_input(const gpuopt_problem &problem) {
  RungInput in = {};
  in.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  in.count = problem.m * problem.n;
  in.map = state_of(problem.variant).map;
  in.per_row = Divider(problem.n > 0 ? problem.n : 1, in.count);
  return in;
}

inline gpuopt_status launch_rung(const gpuopt_problem &problem, const gpuopt_launch *launch, const ReduceRung &rung) {
  RungInput in = rung_input(problem);
  float *to = static_cast<float *>(launch->scratch);
  float *other = to + problem.batch * rung_blocks(problem, rung, in.count);
  for (bool first = true; first || in.count > 1; first = false) {
    const int64_t blocks = rung_blocks(problem, rung, in.count);
    in.blocks = blocks;
    in.blocks_per_matrix = Divider(blocks, blocks * problem.batch);
    const gpuopt_status status = launch_kernel(launch, rung.name, dim3(static_cast<unsigned>(blocks * problem.batch)),
                                               dim3(kRungThreads), 0, rung.kernel, in, to);
    if (status != GPUOPT_OK) return status;
    in.x = {to, blocks, blocks, 1, GPUOPT_F32};
    in.count = blocks;
    in.map = kValue;
    in.per_row = Divider(blocks, blocks);
    float *const from = to;
    to = other;
    other = from;
  }
  return launch_kernel(launch, rung.name, dim3(static_cast<unsigned>(ceil_div(problem.batch, kRungThreads))),
                       dim3(kRungThreads), 0, rung_finish<0>, other, problem.batch, reduce_output(problem));
}

inline gpuopt_status prepare_rung(const gpuopt_launch *launch, const ReduceRung &rung) {
  const gpuopt_status status = load_kernel(launch, rung.name, rung.kernel);
  return status == GPUOPT_OK ? load_kernel(launch, rung.name, rung_finish<0>) : status;
}

// Enough blocks of `per_block` elements each.
template <int kPerBlock>
int64_t blocks_of(int64_t count, int64_t, const gpuopt_device_facts &) {
  return ceil_div(count, kPerBlock);
}

inline int can_run_rung(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (problem->batch * ceil_div(problem->m * problem->n, kRungThreads) <= kRungGrid) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->m * problem->n,
                kRungGrid * kRungThreads / problem->batch, "elements");
}

inline constexpr gpuopt_signature kRungSignatures[] = {{{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_ANY}};

constexpr gpuopt_kernel any_rung_descriptor(const char *name, const char *summary) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_REDUCE, name, summary, kViewFeatures);
  k.flags = GPUOPT_KERNEL_TEACHING;
  k.variants = kSums;
  k.axes = 1u << GPUOPT_ALL;
  set_signatures(k, kRungSignatures);
  k.can_run = can_run_rung;
  return k;
}

// The descriptor of a rung, which is a constant of its file; its functions need not be written there.
template <const ReduceRung &kRung>
constexpr gpuopt_kernel rung_descriptor(const char *summary) {
  gpuopt_kernel k = any_rung_descriptor(kRung.name, summary);
  k.workspace = [](const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
    rung_workspace(*problem, kRung, scratch, zeroed);
  };
  k.prepare = [](const gpuopt_problem *, const gpuopt_launch *launch) { return prepare_rung(launch, kRung); };
  k.launch = [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
    return launch_rung(*problem, launch, kRung);
  };
  set_resources(k, kResourcesOf<kRungThreads, 0, kRung.kernel>);
  return k;
}

}  // namespace gpuopt
