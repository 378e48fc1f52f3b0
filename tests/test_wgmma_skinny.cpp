// How the blocks of a cluster share a product of few rows or columns (gemm/wgmma/wgmma_skinny_split.h), without a GPU.
#include "gemm/wgmma/wgmma_skinny_split.h"

#include <doctest/doctest.h>

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
    for (const int few : {8, 16, 32, 64, 128}) {
      for (const int most : {kWgmmaSkinnyShared, kWgmmaSkinnyMostShared}) {
        for (const bool splits : {false, true}) {
          const int stage = (many + few) * 128, inbox = splits ? many * few * 4 : 0;
          const WgmmaSkinnyRing ring = wgmma_skinny_ring(most, stage, inbox);
          if (many + few <= 192 && !(few == 128 && splits)) CHECK(ring.stages >= 3);
          CHECK(ring.shared <= most);
          CHECK(ring.shared + stage + 16 > most);
          if (splits && few == 128) continue;
          CHECK(wgmma_skinny_stored_bytes(many, few) <= ring.stages * stage);  // sums leave through it
          CHECK(wgmma_skinny_stored_bytes(few, many) <= ring.stages * stage);
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

TEST_CASE("wgmma_skinny: the lines that a rank stores are those whose sums it has") {
  for (int log = 0; log <= kWgmmaSkinnyMostLog; ++log) {
    for (const int blocks : {1, 2}) {
      constexpr int kColumns = 16;
      const WgmmaSkinnyShares shares = {log, blocks * kColumns / 8};
      for (int rank = 0; rank < 1 << log; ++rank) {
        std::vector<int> added(static_cast<size_t>(blocks * 64)), stored(added.size());
        for (int at = 0; at < shares.count(); ++at) {
          const WgmmaQuadPlace place = wgmma_quad_place(shares.thread(rank, at), shares.quad(at), kColumns);
          added.at(static_cast<size_t>(place.row)) = added.at(static_cast<size_t>(place.row + 8)) = 1;
        }
        const WgmmaSkinnyLines lines = {rank, log};
        for (int own = 0; own < blocks << (lines.log_pieces() + lines.log_length()); ++own)
          ++stored.at(static_cast<size_t>(lines.line(own)));
        CHECK(stored == added);
      }
    }
  }
}

TEST_CASE("wgmma_skinny: each element of a tile is in one vector of one rank, and none beyond D is") {
  for (const int blocks : {1, 2}) {
    for (int log_columns = 3; log_columns <= 7; ++log_columns) {
      const int columns = 1 << log_columns;
      for (int form = 0; form < 4; ++form) {
        const bool few_are_rows = form % 2 != 0;
        const int log_vector = form < 2 ? 3 : 2, vector = 1 << log_vector, lines = few_are_rows ? columns : blocks * 64;
        const int in_line = few_are_rows ? blocks * 64 : columns;
        for (int log = 0; log <= kWgmmaSkinnyMostLog; ++log) {
          for (const int step : {0, 3, 4}) {  // of what lines lie beyond 16 bytes
            for (const int missing : {0, 1, 5}) {
              const int many = blocks * 64 - missing, few = columns - missing;
              std::vector<int> stored(static_cast<size_t>(lines * in_line));
              int outside = 0;
              for (int rank = 0; rank < 1 << log; ++rank) {
                const WgmmaSkinnyRuns runs = {{rank, log}, blocks - 1, log_columns, many,
                                              few,         log_vector, few_are_rows};
                for (int i = 0; i < runs.count() + 3; ++i) {
                  const int past = runs.line(i) * step % vector;
                  const WgmmaSkinnyRun run = runs.run(i, past);
                  if (run.existing <= 0) continue;
                  outside += run.is_whole(vector) && (run.at(0) + past) % vector != 0;
                  for (int e = 0; e < vector; ++e) {
                    if (!run.has(e)) continue;
                    outside += run.is_whole(vector) && run.at(e) != run.at(0) + e;
                    outside += run.at(e) + past >= wgmma_skinny_pitch(in_line);
                    ++stored.at(static_cast<size_t>(run.line * in_line + run.at(e)));
                  }
                }
              }
              CHECK(outside == 0);
              int wrong = 0;
              for (int line = 0; line < lines; ++line) {
                for (int i = 0; i < in_line; ++i) {
                  const bool exists = few_are_rows ? line < few && i < many : line < many && i < few;
                  wrong += stored.at(static_cast<size_t>(line * in_line + i)) != (exists ? 1 : 0);
                }
              }
              CHECK(wrong == 0);
            }
          }
        }
      }
    }
  }
}
