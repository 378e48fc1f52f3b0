// Stages after a norm, interpreted once a vector by branches that are the same for all threads.
#pragma once

#include "common/fast_stages.cuh"
#include "norm/common/row_work.h"

namespace gpuopt {

// Stages that are interpreted: SUB has become ADD.
constexpr uint64_t kInterpretedKinds = kRowStageKinds & ~stage_bit(GPUOPT_STAGE_SUB);

// h[e] becomes the stages' value. load(view, to): the operand's elements that belong to the vector.
template <int K, class Load>
__device__ __forceinline__ void apply_row_stages(const RowStages &stages, float (&h)[K], Load &&load) {
#pragma unroll 1
  for (int32_t s = 0; s < stages.count; ++s) {
    const RowStages::Stage &stage = stages.stage[s];
    if (stage.operand.dtype != 0) {
      float a[K];
      load(stage.operand, a);
      apply_one_of<FastMath, GPUOPT_STAGE_MUL, GPUOPT_STAGE_ADD>(stage.kind, stage.v0, a, h);
    } else {
      apply_stage<kInterpretedKinds, FastMath>(stage.kind, stage.v0, stage.v1, h);
    }
  }
}

}  // namespace gpuopt
