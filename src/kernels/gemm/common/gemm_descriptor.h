// What the descriptors of gemm kernels have in common.
#pragma once

#include "common/descriptor.h"
#include "common/stage_values.h"

namespace gpuopt {

// A gemm kernel that serves every call, by its own epilogue or by finish_gemm().
constexpr gpuopt_kernel gemm_descriptor(const char *name, const char *summary) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_GEMM, name, summary,
                                      kViewFeatures | GPUOPT_FEATURE_BETA | GPUOPT_FEATURE_SCALAR_POINTERS |
                                          GPUOPT_FEATURE_ALPHA_ZERO | GPUOPT_FEATURE_SCALE);
  k.stage_kinds = kAllStageKinds;
  k.max_stages = GPUOPT_MAX_STAGES;
  return k;
}

}  // namespace gpuopt
