// Do two matrices share a byte? Exact for any number of lines.
#pragma once
#include <cstdint>

namespace gpuopt {

// The byte intervals of a batched matrix: lines of `length` bytes that start `pitch` apart, and matrices `stride` apart.
// Counts are positive. A step that nothing takes is 0. The last byte lies within the address space.
struct ByteLines {
  uint64_t base;
  int64_t length, pitch, lines, stride, batch;
};

// Is there a byte that belongs to both? A pair of matrices costs the logarithm of their pitches; batches of one stride, a pair
// for each step that one can be ahead of the other and within its reach; other batches, a pair for each matrix of either. Not
// exact, and then false: where a batch's matrices interlace otherwise than side by side in one line, above a few thousand
// such steps or pairs; where more than a million batches of each must be walked.
bool share_a_byte(const ByteLines &a, const ByteLines &b);

// Do two matrices of one batch? Exact, at the cost of the logarithm of its pitch.
bool batches_share_a_byte(const ByteLines &m);

}  // namespace gpuopt
