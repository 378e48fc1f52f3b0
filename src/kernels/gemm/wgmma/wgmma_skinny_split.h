// Who of a cluster multiplies which part of k, and who adds which sums: plain arithmetic, for the kernel and for tests.
#pragma once

#include <cstdint>

namespace gpuopt {

// k is split over a power of two of blocks, 16 at most, which is what a cluster of sm_90 may have. More than 8 are not portable,
// and have to be asked for.
constexpr int kWgmmaSkinnyMostLog = 4, kWgmmaSkinnyPortableLog = 3;

// Of a larger cluster a rank's lines are not neighbours by eights any more.
constexpr int kWgmmaSkinnyVectorsLog = 2;

// Shared memory of a block of which two fit a multiprocessor, and of one that has it alone.
constexpr int kWgmmaSkinnyShared = 112 * 1024, kWgmmaSkinnyMostShared = 227 * 1024;

// A ring in so many bytes: of stages of so many bytes, beside the inbox of a cluster that shares k. 1024: of alignment;
// behind_bytes: what the instruction reads beyond the last stage, which belongs to the ring's bytes.
struct WgmmaSkinnyRing {
  int stages, bytes, shared;
};
constexpr WgmmaSkinnyRing wgmma_skinny_ring(int most_bytes, int stage_bytes, int inbox_bytes, int behind_bytes = 0) {
  const int other = 1024 + inbox_bytes + behind_bytes + 8, stages = (most_bytes - other) / (stage_bytes + 16);
  return {stages, stages * stage_bytes + behind_bytes, other + stages * (stage_bytes + 16)};
}

// The stages of k, [begin, end), of a rank of 2^log: all ranks have some where there are as many stages.
struct WgmmaSkinnySpan {
  int32_t begin, end;
};
constexpr WgmmaSkinnySpan wgmma_skinny_span(int32_t stages, int32_t rank, int32_t log) {
  return {static_cast<int32_t>((int64_t{stages} * rank) >> log),
          static_cast<int32_t>((int64_t{stages} * (rank + 1)) >> log)};
}

// A quad: the four sums of a thread of 128 that the instruction puts into rows r, r + 8 by columns c, c + 1 of the tile.
struct WgmmaQuadPlace {
  int row, col;
};
constexpr WgmmaQuadPlace wgmma_quad_place(int thread, int quad, int columns) {
  const int in_row = columns / 8;  // quads of a thread in 64 rows
  return {quad / in_row * 64 + thread / 32 * 16 + thread % 32 / 4, quad % in_row * 8 + thread % 4 * 2};
}

// The quads of a cluster's blocks, so many a thread: rank q takes those of the q-th part of the threads, from all ranks, into
// slots of its inbox, those of one rank after another.
struct WgmmaSkinnyShares {
  int log, quads;

  constexpr int log_threads() const { return 7 - log; }
  constexpr int taker(int thread) const { return thread >> log_threads(); }
  constexpr int slot(int rank, int thread, int quad) const {
    return ((rank * quads + quad) << log_threads()) + (thread & ((1 << log_threads()) - 1));
  }
  // The slots of one rank are [rank * count(), (rank + 1) * count()); what is in slot `at` of each:
  constexpr int count() const { return quads << log_threads(); }
  constexpr int quad(int at) const { return at >> log_threads(); }
  constexpr int thread(int taker, int at) const { return (taker << log_threads()) + (at & ((1 << log_threads()) - 1)); }
};

}  // namespace gpuopt
