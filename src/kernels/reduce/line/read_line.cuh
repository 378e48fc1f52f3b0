// A block reads its part of a line: neighbouring elements in memory, such as a row, or a whole packed matrix.
//
// The line's body is what lies between its first and its last 16-byte boundary; it is cut into splits, one a block.
// Each thread has several 16-byte loads under way at once. The few elements of the head and the tail go to the first
// split, one a thread. So any alignment reads at full speed; which elements share an accumulator does depend on the
// line's alignment.
#pragma once

#include "reduce/common/read_vectors.cuh"

namespace gpuopt {

// What this thread, one of `threads` (a power of two), finds in vectors [first, first + count) of the body and, in the
// split that has them, in the ends. U loads are in flight, kMost while there are more than U. y, where the op reads it, is
// aligned as x is.
template <class T, int U, int kMost, class Op>
__device__ __forceinline__ typename Op::Partial read_line(const Op &op, const T *x, const T *y, int64_t length,
                                                          int64_t first, int64_t count, bool has_ends, int thread,
                                                          int threads) {
  constexpr int N = kVector<T>;
  const int head = line_head(x, length);
  const int64_t body = (length - head) / N;
  Lane<Op, T, N> lane;
  const int64_t index = head + (first + thread) * N;
  const int64_t here = body - first < count ? body - first : count;  // vectors of the split
  // Vectors of this thread; the launcher's ranges keep them below 2^31.
  const int mine = here > thread ? static_cast<int>((here - thread + threads - 1) >> (31 - __clz(threads))) : 0;
  LineReader<Op, T, N> reader = {reinterpret_cast<const Loaded<Op, T, N> *>(x + index),
                                 reinterpret_cast<const Loaded<Op, T, N> *>(y + (Op::kReadsY ? index : 0)), index, mine,
                                 threads};
  if constexpr (kMost > U) reader.template read<kMost>(lane, op, U);
  reader.template read<U>(lane, op);
  typename Op::Partial partial = lane.partial(op);
  const int tail = static_cast<int>(length - head - body * N);
  if (has_ends && head + tail > 0) {  // threads are at least a warp, so at least N
    using C = typename Op::Computed;
#pragma unroll 1
    for (int end = 0; end < 2; ++end) {
      const int64_t at = end == 0 ? thread : head + body * N + thread;
      if (thread < (end == 0 ? head : tail))
        partial = Op::combine(partial, op.map(widen<C>(x[at]), Op::kReadsY ? widen<C>(y[at]) : C(0), at));
    }
  }
  return partial;
}

}  // namespace gpuopt
