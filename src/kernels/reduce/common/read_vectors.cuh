// A thread reads its vectors of a line.
#pragma once

#include "reduce/common/product_lanes.cuh"

namespace gpuopt {

// `left` vectors, `step` apart; index: of the first one's first element.
template <class Op, class T, int N>
struct LineReader {
  const Loaded<Op, T, N> *x, *y;
  int64_t index;
  int left, step;

  // U vectors at a time, all of them under way at once, until no more than `rest` are left.
  template <int U>
  __device__ __forceinline__ void read(Lane<Op, T, N> &lane, const Op &op, int rest = 0) {
    // An extreme's or an ARG's vector that there is not is the last one: no load waits behind a branch until those before it
    // have come. A sum's are not loaded, which costs no branch there.
    constexpr bool kTwice = kIsIdempotent<Op>;
#pragma unroll 1
    for (; left > rest; left -= U) {
      Loaded<Op, T, N> of_x[U], of_y[U];
#pragma unroll
      for (int u = 0; u < U; ++u) {
        const int at = (kTwice && u > 0 ? min(u, left - 1) : u) * step;
        if (kTwice || u < left) of_x[u] = x[at];
        if constexpr (Op::kReadsY) {
          if (u < left) of_y[u] = y[at];
        }
      }
      lane.absorb(op, kTwice ? U : left, of_x, of_y, index, int64_t{step} * N);
      x += U * step;
      if constexpr (Op::kReadsY) y += U * step;
      index += int64_t{U} * step * N;
    }
  }
};

}  // namespace gpuopt
