// What a launch of a grouped wgmma kernel does.
#pragma once

#include "gemm/wgmma/wgmma_results.h"
#include "gemm_grouped/common/group_offsets.h"

namespace gpuopt {

struct GroupedWork {
  GroupOffsets offsets;
  int32_t n, k, groups;
  bool batched_b;  // false: one matrix for all groups
  bool plain;      // D is alpha times the product, in a type that the kernel's own store has
  bool by_panels;  // then whole panels of D may go by the tensor memory accelerator
  float alpha;
  WgmmaBlockScales blocks;  // of A for the rows of all groups
};

}  // namespace gpuopt
