// What the descriptors of grouped products have in common.
#pragma once

#include "common/descriptor.h"
#include "common/stage_values.h"

namespace gpuopt {

constexpr gpuopt_kernel grouped_descriptor(const char *name, const char *summary) {
  gpuopt_kernel k =
      kernel_descriptor(GPUOPT_OP_GEMM_GROUPED, name, summary,
                        kViewFeatures | GPUOPT_FEATURE_BETA | GPUOPT_FEATURE_ALPHA_ZERO | GPUOPT_FEATURE_SCALE |
                            GPUOPT_FEATURE_SCALAR_POINTERS | GPUOPT_FEATURE_HOST_OFFSETS);
  k.stage_kinds = kAllStageKinds;
  k.max_stages = GPUOPT_MAX_STAGES;
  return k;
}

}  // namespace gpuopt
