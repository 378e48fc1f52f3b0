// What a launch of a grouped wgmma kernel does.
#pragma once

#include "gemm/wgmma/wgmma_block_scales.h"
#include "gemm_grouped/common/group_offsets.h"

namespace gpuopt {

// Columns of a tile for many rows: of three widths the device takes one.
constexpr int kGroupedWidths = 3, kGroupedWidest = 256;
constexpr int grouped_columns(int width) { return kGroupedWidest - width * 64; }

// Places of tiles in shared memory (grouped_queue.cuh).
constexpr int kGroupedSlots = 16, kGroupedSlotBytes = kGroupedSlots * 16;

// Of all lanes alike, which ptxas knows of what comes from a lane by its number alone.
__device__ __forceinline__ int32_t grouped_same(int32_t value) { return __shfl_sync(0xffffffffu, value, 0); }

struct GroupedWork {
  GroupOffsets offsets;
  int32_t n, k, groups;
  bool batched_b;  // false: one matrix for all groups
  bool plain;      // D is alpha times the product, in a type that the kernel's own store has
  bool by_panels;  // then whole panels of D may go by the tensor memory accelerator
  float alpha;
  uint32_t *taken;                     // numbers of tiles drawn; 0 before and after
  float width_clocks[kGroupedWidths];  // what a tile of each takes
  WgmmaBlockScales blocks;             // of A for the rows of all groups
};

}  // namespace gpuopt
