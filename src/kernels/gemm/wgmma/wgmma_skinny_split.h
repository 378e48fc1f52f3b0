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

// A ring in so many bytes: of stages of so many bytes, beside the inbox of a cluster that shares k. 1024: of alignment.
struct WgmmaSkinnyRing {
  int stages, shared;
};
constexpr WgmmaSkinnyRing wgmma_skinny_ring(int most_bytes, int stage_bytes, int inbox_bytes) {
  const int stages = (most_bytes - 1024 - inbox_bytes - 8) / (stage_bytes + 16);
  return {stages, 1024 + inbox_bytes + stages * (stage_bytes + 16) + 8};
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

// Of each 64 lines of the many those whose sums a rank has in the end: pieces of neighbours, numbered through the tile.
struct WgmmaSkinnyLines {
  int rank, log;

  constexpr int log_pieces() const { return log <= 2 ? 0 : 1; }  // less than a warp's: rows r and r + 8 of its quads
  constexpr int log_length() const { return log <= 2 ? 6 - log : 5 - log; }
  constexpr int first(int piece) const {
    const int thread = rank << (7 - log), in_block = piece & ((1 << log_pieces()) - 1);
    return (piece >> log_pieces()) * 64 + in_block * 8 + thread / 32 * 16 + thread % 32 / 4;
  }
  constexpr int line(int own) const { return first(own >> log_length()) + (own & ((1 << log_length()) - 1)); }
};

// Sums in shared memory on their way to D lie in lines as D's do, with room to lie as D's do beyond 16 bytes, and such that what a
// warp writes at once goes to different banks.
constexpr int kWgmmaSkinnyRoom = 12;
constexpr int wgmma_skinny_pitch(int length) { return length + kWgmmaSkinnyRoom; }
constexpr int wgmma_skinny_stored_bytes(int lines, int length) { return lines * wgmma_skinny_pitch(length) * 4; }

constexpr int wgmma_log2(int x) { return x <= 1 ? 0 : 1 + wgmma_log2(x / 2); }

// A vector's worth of a piece of a line of D: a vector that lies on 16 bytes, or what the piece has before its first and behind its
// last such, which are so many elements together. Element e is at(e), where has(e).
struct WgmmaSkinnyRun {
  int line, low, offset;
  int length, existing;  // of the piece, a power of two

  constexpr int at(int e) const { return low + ((offset + e) & (length - 1)); }
  constexpr bool has(int e) const { return e < length && ((offset + e) & (length - 1)) < existing; }
  constexpr bool is_whole(int vector) const { return offset + vector <= existing; }
};

// What a rank stores of a tile by number, neighbours along D's lines. All but a tile's edges are powers of two: between the last
// product and the store lies nothing but this arithmetic.
struct WgmmaSkinnyRuns {
  WgmmaSkinnyLines own;
  int log_blocks, log_columns;  // the tile's, of 64 of the many, and of the few
  int many, few;                // lines that exist from the tile's first on
  int log_vector;               // elements
  bool few_are_rows;

  constexpr int log_pieces() const { return few_are_rows ? log_blocks + own.log_pieces() : 0; }  // of a line of D
  constexpr int log_length() const { return few_are_rows ? own.log_length() : log_columns; }
  constexpr int log_runs() const { return log_length() < log_vector ? 0 : log_length() - log_vector; }  // of a piece
  constexpr int log_of_line() const { return log_pieces() + log_runs(); }
  constexpr int lines() const {
    const int columns = 1 << log_columns;
    return few_are_rows ? (few < columns ? few : columns) : 1 << (log_blocks + own.log_pieces() + own.log_length());
  }
  constexpr int count() const { return lines() << log_of_line(); }
  constexpr int line(int run) const { return few_are_rows ? run >> log_of_line() : own.line(run >> log_of_line()); }
  // past: elements that its line lies beyond 16 bytes.
  constexpr WgmmaSkinnyRun run(int number, int past) const {
    const int vector = 1 << log_vector, length = 1 << log_length(), at = line(number);
    const int low = few_are_rows ? own.first((number >> log_runs()) & ((1 << log_pieces()) - 1)) : 0;
    const int lead = length < vector ? 0 : -(low + past) & (vector - 1);
    const int existing = (few_are_rows ? many : few) - low, in_piece = number & ((1 << log_runs()) - 1);
    const bool none = number >= count() || (!few_are_rows && at >= many);
    return {at, low, lead + (in_piece << log_vector), length, none ? 0 : existing < length ? existing : length};
  }
};

}  // namespace gpuopt
