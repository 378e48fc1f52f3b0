// What the rungs of the teaching ladder share. A rung turns `count` numbers into one number a block; it is launched
// again over those until one is left, and a last kernel of one thread a matrix finishes (mean, root) and writes. The
// first pass reads the matrix, the others read partials: both look the same to the rung.
#ifndef GPUOPT_KERNELS_REDUCE_RUNG_CUH
#define GPUOPT_KERNELS_REDUCE_RUNG_CUH

#include "common/launch.h"
#include "descriptor.h"
#include "output.cuh"

namespace gpuopt {
namespace reduce {

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

// A template, so that every rung's file may hold it and the resources table finds the one that is linked.
template <int = 0>
__global__ void rung_finish(const float *totals, int64_t batch, Output output) {
  const int64_t p = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (p < batch) write_result<float>(Sum<double>{}, output, p, 0, totals[p]);
}

using RungKernel = void (*)(RungInput, float *);

// A rung's kernel and how many blocks it takes for `count` elements of each of `batch` matrices.
struct Rung {
  const char *name;
  RungKernel kernel;
  int64_t (*blocks)(int64_t count, int64_t batch, const gpuopt_device_facts &device);
};

inline int64_t rung_blocks(const gpuopt_problem &problem, const Rung &rung, int64_t count) {
  return count > 0 ? rung.blocks(count, problem.batch, *problem.device) : 1;
}

// Two buffers, used in turn: the partials of the first pass fill the first, those of the second pass the other.
inline void rung_workspace(const gpuopt_problem &problem, const Rung &rung, size_t *scratch, size_t *zeroed) {
  const int64_t first = rung_blocks(problem, rung, problem.m * problem.n);
  const int64_t second = rung_blocks(problem, rung, first);
  *scratch = static_cast<size_t>(problem.batch * (first + second)) * sizeof(float);
  *zeroed = 0;
}

inline gpuopt_status launch_rung(const gpuopt_problem &problem, const gpuopt_launch *launch, const Rung &rung) {
  RungInput in = {};
  in.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  in.count = problem.m * problem.n;
  in.map = state_of(problem.variant).map;
  in.per_row = Divider(problem.n > 0 ? problem.n : 1, in.count);
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
                       dim3(kRungThreads), 0, rung_finish<0>, other, problem.batch, make_output(problem));
}

inline gpuopt_status prepare_rung(const gpuopt_launch *launch, const Rung &rung) {
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
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->m * problem->n,
             kRungGrid * kRungThreads / problem->batch, "elements"};
  return 0;
}

inline constexpr gpuopt_signature kRungSignatures[] = {{{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_ANY}};

// The descriptor of a rung, which is a constant of its file; its functions need not be written there.
template <const Rung &kRung>
constexpr gpuopt_kernel rung_descriptor(const char *summary, const gpuopt_resource *resource) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_REDUCE, kRung.name, summary, kViewFeatures);
  k.flags = GPUOPT_KERNEL_TEACHING;
  k.variants = kSums;
  k.axes = 1u << GPUOPT_ALL;
  set_signatures(k, kRungSignatures);
  k.can_run = can_run_rung;
  k.workspace = [](const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
    rung_workspace(*problem, kRung, scratch, zeroed);
  };
  k.prepare = [](const gpuopt_problem *, const gpuopt_launch *launch) { return prepare_rung(launch, kRung); };
  k.launch = [](const gpuopt_problem *problem, const gpuopt_launch *launch) {
    return launch_rung(*problem, launch, kRung);
  };
  k.resources = resource;
  k.resource_count = 1;
  return k;
}

}  // namespace reduce
}  // namespace gpuopt

#endif
