// What all tiles of the ladder have.
#pragma once

#include "common/index.cuh"

namespace gpuopt {

// Which operand a panel is of, that is where x and k run.
enum class Side { kRowsOfA, kColsOfB };

// How much of a tile of this extent exists from here on.
__device__ __forceinline__ int tile_extent(int64_t extent, int64_t from, int tile) {
  return static_cast<int>(extent - from < tile ? extent - from : tile);
}

}  // namespace gpuopt
