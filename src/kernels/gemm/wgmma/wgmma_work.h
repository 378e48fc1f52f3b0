// What a launch of a wgmma kernel does.
#pragma once

#include "common/index.cuh"

namespace gpuopt {

// Columns: a tile with no more takes less time.
constexpr int kWgmmaNarrow = 32;
// Lines of an operand that are asked for at once, and how many times so many a tile's extent takes of those that exist.
constexpr int kWgmmaBox = 64;
constexpr int32_t wgmma_boxes(int32_t existing, int32_t extent) {
  return existing <= 0 ? 0 : ((existing < extent ? existing : extent) + kWgmmaBox - 1) / kWgmmaBox;
}
// Units of an extent, but for the last one where no more than `little` of it exists: those at the edges come last.
inline int64_t wgmma_whole_units(int64_t extent, int64_t unit, int64_t little) {
  return ceil_div(extent, unit) - (extent % unit != 0 && extent % unit <= little ? 1 : 0);
}

// The work of a launch in units: a tile, or of a pair of blocks (a cluster) two, one above the other, which share B: each
// block copies half of it into both. Units of which little exists, at the lower and right edge, come last, when others have
// nothing left to do.
struct WgmmaGemm {
  int32_t m, n, k;
  int32_t units_m, units_n, units;  // rows and columns of them; of all matrices
  int32_t whole_m, whole_n, whole;  // the same without those at the edges
  bool paired;
  bool batched_a, batched_b;  // false: one matrix for all
};

}  // namespace gpuopt
