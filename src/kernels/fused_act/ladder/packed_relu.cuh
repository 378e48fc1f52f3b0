// What the rungs share that differ in nothing but how threads and elements belong together: out = relu(x), f32, both packed
// and by rows. The stage is built in, so nothing is interpreted, and an element is found by its number alone.
#pragma once

#include "common/descriptor.h"
#include "common/launch.h"
#include "fused_act/ladder/elementwise.cuh"

namespace gpuopt {

struct PackedRelu {
  const float *x;
  float *out;
  int64_t count, rows, cols;  // elements of the whole batch; rows and columns of a matrix
  Divider split;              // of threads, where a rung deals them out by two numbers
};

__device__ __forceinline__ float relu_of(float x) { return x <= 0.0f ? 0.0f : x; }  // NaN stays NaN

// So many threads, and of how many a group of them has.
struct PackedReluThreads {
  int64_t count, of_group;
};

inline PackedRelu packed_relu(const gpuopt_problem &problem, const PackedReluThreads &threads) {
  return {static_cast<const float *>(problem.operand[GPUOPT_OPERAND_X].m.data),
          static_cast<float *>(problem.operand[GPUOPT_OPERAND_OUT].m.data),
          problem.batch * problem.m * problem.n,
          problem.m,
          problem.n,
          Divider(threads.of_group, threads.count)};
}

inline constexpr gpuopt_signature kPackedReluSignatures[] = {
    {{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_COMPUTE_F32}};
inline constexpr gpuopt_built_in_stage kReluChain[] = {{GPUOPT_STAGE_RELU, 0, {GPUOPT_ANY, GPUOPT_ANY}, 0}};

// Rung: kName, kSummary, kThreads of a block, kDynamicSmem, kAlign (bytes of both addresses), kKernel, and threads() of a
// problem.
template <class Rung>
struct PackedReluLaunch {
  static gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
    return load_kernel(launch, Rung::kName, Rung::kKernel, Rung::kDynamicSmem);
  }
  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const PackedReluThreads threads = Rung::threads(*problem);
    return launch_kernel(launch, Rung::kName, dim3(static_cast<unsigned>(ceil_div(threads.count, Rung::kThreads))),
                         dim3(Rung::kThreads), Rung::kDynamicSmem, Rung::kKernel, packed_relu(*problem, threads));
  }
  // The grid is one-dimensional, and no rung has more threads than elements but by the last of its groups.
  static int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
    constexpr int64_t kMost = int64_t{0x7ffffffe} * Rung::kThreads;
    const int64_t matrix = problem->m * problem->n;
    if (matrix == 0 || problem->batch <= kMost / matrix) return 1;
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, problem->batch, kMost / matrix,
                  "matrices of a batch of this shape");
  }
};

template <class Rung>
constexpr gpuopt_kernel packed_relu_kernel() {
  using Functions = PackedReluLaunch<Rung>;
  gpuopt_kernel k =
      kernel_descriptor(GPUOPT_OP_FUSED_ACT, Rung::kName, Rung::kSummary, GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_LARGE);
  k.flags = GPUOPT_KERNEL_TEACHING;
  k.stage_kinds = stage_bits(GPUOPT_STAGE_RELU);
  k.max_stages = 1;
  k.chain = kReluChain;
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  k.operands_packed = 1u << GPUOPT_OPERAND_X | 1u << GPUOPT_OPERAND_OUT;
  k.align[GPUOPT_OPERAND_X] = k.align[GPUOPT_OPERAND_OUT] = Rung::kAlign;
  k.can_run = Functions::can_run;
  set_signatures(k, kPackedReluSignatures);
  set_functions(k, nullptr, Functions::prepare, Functions::launch,
                kResourcesOf<Rung::kThreads, Rung::kDynamicSmem, Rung::kKernel>);
  return k;
}

}  // namespace gpuopt
