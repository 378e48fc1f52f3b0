// What a launch of the wgmma kernel of lists does.
#pragma once

#include <cuda.h>

#include "gemm_grouped/common/list_walk.cuh"
#include "gemm_grouped/wgmma/grouped_work.h"

namespace gpuopt {

// What is made of each product in front of the kernel (list_maps.h).
struct alignas(16) ListShape {
  int32_t m, n, k;
  int32_t by_panels;  // whether D goes by panels and the tensor memory accelerator
};
struct alignas(128) ListMaps {
  CUtensorMap a, b, d;  // of products that are not empty; d: where it goes by panels
};
struct ListResult {
  void *d;
  const void *c;
  int64_t d_row, c_row, c_col;  // steps, elements
};

struct ListShapes {
  using Product = ListShape;
  const ListShape *shapes;
  int32_t count, k;  // k: that none exceeds

  __device__ __forceinline__ ListShape at(int64_t i) const { return shapes[i]; }
  __device__ __forceinline__ int32_t most_k() const { return k; }
};

struct ListWgmmaWork {
  ListShapes shapes;
  const ListMaps *maps;
  const ListResult *results;
  float alpha;                                                     // of what goes by panels
  uint32_t *taken;                                                 // numbers of tiles drawn; 0 before and after
  float stage_clocks[kGroupedWidths], end_clocks[kGroupedWidths];  // of a tile of each width
};

// A tile as it goes from the warp that finds it to the others.
using ListPlace = ListTile<ListShape>;
constexpr int kListSlotBytes = kGroupedSlots * static_cast<int>(sizeof(ListPlace));

}  // namespace gpuopt
