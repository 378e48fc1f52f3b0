// What the rungs share that differ in nothing but how warps meet a choice or a loop: out = gelu(gelu(... x)), f32, both packed
// and by rows. A stage is some 40 instructions, so that chains of several put arithmetic before memory.
#pragma once

#include "common/descriptor.h"
#include "common/launch.h"
#include "common/stage_values.h"
#include "fused_act/ladder/elementwise.cuh"

namespace gpuopt {

struct PackedGelu {
  const float *x;
  float *out;
  int64_t count;  // elements of the whole batch
  int32_t stages;
};

// The empty asm keeps the compiler from merging this with another form of the function.
__device__ __forceinline__ float gelu_by_error_function(float x) {
  float y = 0.5f * x * (1.0f + erff(0.70710678f * x));
  asm volatile("" : "+f"(y));
  return y;
}

// Rung: kName, kSummary, kBlockElements (of a block of kElementwiseThreads), kKernel.
template <class Rung>
struct PackedGeluLaunch {
  static gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
    return load_kernel(launch, Rung::kName, Rung::kKernel);
  }
  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const PackedGelu work = {static_cast<const float *>(problem->operand[GPUOPT_OPERAND_X].m.data),
                             static_cast<float *>(problem->operand[GPUOPT_OPERAND_OUT].m.data),
                             problem->batch * problem->m * problem->n, problem->stage_count};
    return launch_kernel(launch, Rung::kName, dim3(static_cast<unsigned>(ceil_div(work.count, Rung::kBlockElements))),
                         dim3(kElementwiseThreads), 0, Rung::kKernel, work);
  }
};

inline constexpr gpuopt_signature kPackedGeluSignatures[] = {
    {{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_COMPUTE_F32}};

template <class Rung>
constexpr gpuopt_kernel packed_gelu_kernel() {
  using Functions = PackedGeluLaunch<Rung>;
  gpuopt_kernel k =
      kernel_descriptor(GPUOPT_OP_FUSED_ACT, Rung::kName, Rung::kSummary, GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_LARGE);
  k.flags = GPUOPT_KERNEL_TEACHING;
  k.stage_kinds = stage_bits(GPUOPT_STAGE_GELU);
  k.max_stages = GPUOPT_MAX_STAGES;
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  k.operands_packed = 1u << GPUOPT_OPERAND_X | 1u << GPUOPT_OPERAND_OUT;
  k.can_run = elementwise_can_run;
  set_signatures(k, kPackedGeluSignatures);
  set_functions(k, nullptr, Functions::prepare, Functions::launch, kResourcesOf<kElementwiseThreads, 0, Rung::kKernel>);
  return k;
}

}  // namespace gpuopt
