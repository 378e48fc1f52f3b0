// What a launch of a wgmma kernel does.
#pragma once

#include "common/small_divider.cuh"

namespace gpuopt {

// The work of a launch in units: a tile, or of a pair of blocks (a cluster) two, one above the other, which share B:
// each block copies half of it into both. Units of which little exists, at the lower and right edge, come last; blocks
// that the last round of whole units leaves idle take the first of them, the others what is left.
struct WgmmaGemm {
  int32_t m, n, stages;             // stages of k
  int32_t width, box_b;             // columns of a tile; lines of B along k that are asked for at once
  int32_t units_m, units_n, units;  // rows and columns of them; of all matrices
  int32_t whole_m, whole_n, whole;  // the same without those at the edges
  uint32_t many;                    // blocks or pairs
  // Rounds of whole units that all blocks or pairs have; units of the round behind, the blocks idle then. Where the edges of either
  // begin, for round 0, and the round from which on idle ones have none.
  uint32_t rounds, rest, idle, idle_from, idle_end, busy_from;
  SmallDivider in_matrix, in_stripe, in_last;  // whole units of a matrix, of a stripe, in a column of the last stripe
  int32_t stripes, log_high;                   // those that are as high as they may be: rows of units
  bool paired;
  bool batched_a, batched_b;  // false: one matrix for all
};

// The unit that one of `many` has in a round; `units` and more: none, and none later.
__host__ __device__ inline uint32_t wgmma_unit_of(const WgmmaGemm &gemm, uint32_t mine, uint32_t round) {
  const bool idle = mine >= gemm.rest;
  if (round < gemm.rounds + (idle ? 0 : 1)) return round * gemm.many + mine;
  if (!idle) return gemm.busy_from + round * gemm.rest + mine;
  return round < gemm.idle_end ? gemm.idle_from + round * gemm.idle + mine : static_cast<uint32_t>(gemm.units);
}

}  // namespace gpuopt
