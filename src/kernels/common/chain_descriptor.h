// What the descriptors of kernels of element-wise chains have in common.
#pragma once

#include "common/descriptor.h"
#include "common/stage_values.h"

namespace gpuopt {

// Every type, converted by each thread.
inline constexpr gpuopt_signature kAnyTypeSignatures[] = {
    {{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F64},
};

// A kernel of an element-wise chain, fused_act's or that after a norm, of every stage and type.
constexpr gpuopt_kernel any_chain_descriptor(int32_t op, const char *name, const char *summary) {
  gpuopt_kernel k = kernel_descriptor(op, name, summary, kViewFeatures);
  k.stage_kinds = kAllStageKinds;
  k.max_stages = GPUOPT_MAX_STAGES;
  set_signatures(k, kAnyTypeSignatures);
  return k;
}

}  // namespace gpuopt
