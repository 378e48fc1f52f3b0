// What a launch of a wgmma kernel does.
#pragma once

#include <cstdint>

namespace gpuopt {

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
