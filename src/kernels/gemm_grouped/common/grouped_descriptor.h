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

// A's rows lie along k; A and B are on 16 bytes.
constexpr void take_by_vectors(gpuopt_kernel &k) {
  k.layouts[GPUOPT_OPERAND_A] = GPUOPT_LAYOUT_ROW;
  k.align[GPUOPT_OPERAND_A] = k.align[GPUOPT_OPERAND_B] = 16;
  k.ld_align[GPUOPT_OPERAND_A] = k.ld_align[GPUOPT_OPERAND_B] = 16;
}

// Of kernels of lists alone.
constexpr gpuopt_kernel list_descriptor(const char *name, const char *summary) {
  gpuopt_kernel k = grouped_descriptor(name, summary);
  k.understands = (k.understands & ~uint32_t{GPUOPT_FEATURE_HOST_OFFSETS | GPUOPT_FEATURE_SCALE}) |
                  GPUOPT_FEATURE_GROUP_LIST | GPUOPT_FEATURE_HOST_LIST;
  k.operands_refused = 1u << GPUOPT_OPERAND_OFFSETS;  // groups of rows are others'
  return k;
}

// For can_run() of kernels whose extents, coordinates and numbers of tiles, of so many rows and columns at the least, have 32 bits.
int list_can_run(const gpuopt_problem &problem, int64_t tile_rows, int64_t tile_cols, gpuopt_reject *reject);

}  // namespace gpuopt
