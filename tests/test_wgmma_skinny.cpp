// How the blocks of a cluster share a product of few rows or columns (gemm/wgmma/wgmma_skinny_split.h), without a GPU.
#include "gemm/wgmma/wgmma_skinny_split.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace gpuopt;

TEST_CASE("wgmma_skinny: the ranks of a cluster share all stages of k in order, and none has nothing") {
  for (int log = 0; log <= kWgmmaSkinnyMostLog; ++log) {
    for (const int stages : {1 << log, (1 << log) + 1, 31, 32, 33, 1000, (1 << 30) + 7}) {
      int32_t next = 0;
      for (int rank = 0; rank < 1 << log; ++rank) {
        const WgmmaSkinnySpan span = wgmma_skinny_span(stages, rank, log);
        CHECK(span.begin == next);
        CHECK(span.end > span.begin);
        CHECK(span.end - span.begin <= (stages >> log) + 1);
        next = span.end;
      }
      CHECK(next == stages);
    }
  }
}

TEST_CASE("wgmma_skinny: a ring takes what there is, and two blocks of the smaller size fit a multiprocessor") {
  constexpr int kMultiprocessor = 228 * 1024, kReserved = 1024;  // sm_90; of each block
  CHECK(2 * (kWgmmaSkinnyShared + kReserved) <= kMultiprocessor);
  for (const int many : {64, 128}) {
    for (const int lines : {8, 16, 40, 64, many}) {
      for (const int few : {8, 16, 32, 64, 128}) {
        for (const int most : {kWgmmaSkinnyShared, kWgmmaSkinnyMostShared}) {
          for (const bool splits : {false, true}) {
            const int stage = (lines + few) * 128, inbox = splits ? many * few * 4 : 0;
            const int behind = std::max(many * 128 - stage, 0);
            const WgmmaSkinnyRing ring = wgmma_skinny_ring(most, stage, inbox, behind);
            if (many + few <= 192 && !(few == 128 && splits)) CHECK(ring.stages >= 3);
            CHECK(ring.shared <= most);
            CHECK(ring.shared + stage + 16 > most);
            // The instruction reads `many` lines from the last stage on.
            CHECK(ring.shared >= 1024 + inbox + (ring.stages - 1) * stage + many * 128 + 16 * ring.stages + 8);
          }
        }
      }
    }
  }
}

TEST_CASE("wgmma_skinny: each sum of a tile has one quad of one thread") {
  for (const int rows : {64, 128}) {
    for (const int columns : {8, 16, 32, 64}) {
      std::vector<int> seen(static_cast<size_t>(rows * columns));
      for (int thread = 0; thread < 128; ++thread) {
        for (int quad = 0; quad < rows / 64 * columns / 8; ++quad) {
          const WgmmaQuadPlace place = wgmma_quad_place(thread, quad, columns);
          for (int e = 0; e < 4; ++e)
            ++seen.at(static_cast<size_t>((place.row + e / 2 * 8) * columns + place.col + e % 2));
        }
      }
      for (const int times : seen) CHECK(times == 1);
    }
  }
}

// What the blocks do at the end: all send, then each adds what its inbox holds.
TEST_CASE("wgmma_skinny: sums that a cluster exchanges are added once for each rank, in the order of ranks") {
  for (int log = 1; log <= kWgmmaSkinnyMostLog; ++log) {
    for (const int quads : {1, 2, 4, 8, 16}) {
      const WgmmaSkinnyShares shares = {log, quads};
      const int ranks = 1 << log, slots = quads * 128;
      struct Sent {
        int rank = -1, thread = -1, quad = -1;
      };
      std::vector<std::vector<Sent>> inbox(static_cast<size_t>(ranks), std::vector<Sent>(static_cast<size_t>(slots)));
      for (int rank = 0; rank < ranks; ++rank) {
        for (int thread = 0; thread < 128; ++thread) {
          for (int quad = 0; quad < quads; ++quad) {
            Sent &slot = inbox.at(static_cast<size_t>(shares.taker(thread)))
                             .at(static_cast<size_t>(shares.slot(rank, thread, quad)));
            CHECK(slot.rank == -1);
            slot = {rank, thread, quad};
          }
        }
      }
      std::vector<int> stored(static_cast<size_t>(slots));
      CHECK(shares.count() * ranks == slots);
      for (int taker = 0; taker < ranks; ++taker) {
        for (int at = 0; at < shares.count(); ++at) {
          const int thread = shares.thread(taker, at), quad = shares.quad(at);
          ++stored.at(static_cast<size_t>(quad * 128 + thread));
          for (int from = 0; from < ranks; ++from) {
            const Sent &part = inbox.at(static_cast<size_t>(taker)).at(static_cast<size_t>(from * shares.count() + at));
            CHECK(part.rank == from);
            CHECK(part.thread == thread);
            CHECK(part.quad == quad);
          }
        }
      }
      for (const int times : stored) CHECK(times == 1);
    }
  }
}
