// The kernel of reduce_one_launch: all blocks read one line, and meet at the end; and the same for several lines of one
// length, a row of its grid each.
#pragma once

#include "common/dependent_launch.cuh"
#include "common/dtypes.cuh"
#include "reduce/common/dispatch.cuh"
#include "reduce/common/lanes.cuh"
#include "reduce/common/output.cuh"
#include "reduce/line/best_element.cuh"
#include "reduce/line/whole_line.h"

namespace gpuopt {

#ifdef __CUDA_ARCH__
// What the compiler is told, on some architectures less: where a multiprocessor has no room for so many threads, and
// where packed extremes of fp8 need more registers.
constexpr int kRoom = __CUDA_ARCH__ == 750 ? 2 : __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 ? 4 : 3;
constexpr int whole_blocks_here(int dtype, int op) {
  const bool is_fp8 = dtype_bytes(dtype) == 1 && !is_sum_of_bytes(dtype, op);
  if (is_fp8 && op == kExtreme && __CUDA_ARCH__ >= 1000) return 1;
  return whole_blocks(dtype, op) < kRoom ? whole_blocks(dtype, op) : kRoom;
}
#else
constexpr int whole_blocks_here(int, int) { return 1; }
#endif

// Out of line, and the op by its state: a reference to it would lie in local memory.
template <class T, class Op>
__device__ __noinline__ void write_unusual(OpState state, const ReduceOutput &output, typename Op::Partial total) {
  write_result<T>(Op{state}, output, 0, 0, total);
}

// Ticket and slots of a block's line, and the line's first boundary; kRows: of one of several lines.
template <bool kRows>
__device__ __forceinline__ uint32_t *ticket_of(const WholeLine &line) {
  return reinterpret_cast<uint32_t *>(line.zeroed) + (kRows ? blockIdx.y : 0);
}
template <bool kRows>
__device__ __forceinline__ uint64_t *slots_of(const WholeLine &line, int words) {
  return kRows ? line.slots + int64_t{blockIdx.y} * gridDim.x * words : line.zeroed + kTicketBytes / 8;
}
// The line of this block, from its first 16-byte boundary.
template <class T>
struct LineOfBlock {
  const T *body;
  uint32_t tiles;
  int last, head, ends;  // as in WholeLine
};
template <bool kRows, int kTile, class T>
__device__ __forceinline__ LineOfBlock<T> line_of_block(const WholeLine &line) {
  const T *data = static_cast<const T *>(line.body);
  if constexpr (kRows) {
    constexpr int N = kVector<T>;
    data += int64_t{blockIdx.y} * line.step;
    const int head = line_head(data, line.length);
    const auto vectors = static_cast<uint32_t>((line.length - head) / N);
    const uint32_t before_last = vectors > 0 ? (vectors - 1) / kTile : 0;
    return {data + head, before_last + 1, static_cast<int>(vectors - before_last * kTile), head,
            static_cast<int>(line.length - int64_t{vectors} * N)};
  } else {
    return {data, line.tiles, line.last, line.head, line.ends};
  }
}

// Calls use(count, x, tile) for the tiles of the block: this thread has x[u], kThreads vectors apart, for u < count.
template <class Vector, int U, int kThreads, class T, class F>
__device__ __forceinline__ void for_each_tile(const LineOfBlock<T> &line, F &&use) {
  constexpr int kTile = U * kThreads;
  const int thread = static_cast<int>(threadIdx.x);
  const auto *from = reinterpret_cast<const Vector *>(line.body) + int64_t{blockIdx.x} * kTile + thread;
#pragma unroll 1
  for (uint32_t tile = blockIdx.x; tile < line.tiles; tile += gridDim.x) {
    const int here = (tile + 1 < line.tiles ? kTile : line.last) - thread;
    const int count = (here + kThreads - 1) / kThreads;
    Vector x[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u < count) x[u] = from[u * kThreads];
    }
    use(count, x, tile);
    from += kTile * gridDim.x;  // below 2^31
  }
}

// kRows: gridDim.y lines, for totals of the commonest kind.
template <int kDtype, int kOp, int kThreads, bool kRows>
__global__ void __launch_bounds__(kThreads, whole_blocks_here(kDtype, kOp) * kWholeThreads / kThreads)
    reduce_whole_line(const __grid_constant__ WholeLine line, const __grid_constant__ ReduceOutput output) {
  using Op = OpOfChoice<kOp, kDtype>;
  using Second = typename Op::Second;
  using T = typename TypesOf<kDtype>::Stored;
  using C = typename Op::Computed;
  constexpr int N = kVector<T>, U = whole_loads(kDtype, kOp), kTile = U * kThreads;
  const int32_t map = kOp == kWideSum && output.finish == kRoot ? kSquare : kValue;
  const Op op{state_of_choice<kOp>({map, line.most})};
  const int thread = static_cast<int>(threadIdx.x);
  wait_for_stream();
  constexpr bool kIsBest = kIsElementWord<Op>;
  constexpr int kWordsOfSlot = kIsBest ? 1 : kWords<typename Op::Partial>;
  uint64_t *const slots = slots_of<kRows>(line, kWordsOfSlot);
  uint32_t ticket = 0;
  if (gridDim.x > 1 && thread == 0) {
    ticket = draw_wrapping_ticket(ticket_of<kRows>(line), gridDim.x);
    fetch_slot(slots + blockIdx.x * kWordsOfSlot);
  }

  const LineOfBlock<T> here = line_of_block<kRows, kTile, T>(line);
  const T *const body = here.body;
  // The few elements before and behind the body, one a thread of the first block.
  const int64_t vectors = int64_t{here.tiles - 1} * kTile + here.last;
  const bool has_end = blockIdx.x == 0 && thread < here.ends;
  T end = T();
  if (has_end) end = body[(thread < here.head ? 0 : vectors * N) + thread - here.head];

  typename Second::Partial total;
  if constexpr (kIsBest) {
    BestVector<T, N> best;
    best.vector = blockIdx.x * kTile + thread;
    for_each_tile<Pack<T, N>, U, kThreads>(here, [&](int count, const Pack<T, N>(&x)[U], uint32_t tile) {
      best.absorb(line.most != 0, count, x, tile * kTile + thread, kThreads);
    });
    uint64_t word =
        best.vector < vectors ? element_word(key_of_ordered<C>(best.best, line.most), best.vector + 1) : kNoElement;
    if (has_end) {
      const uint32_t number = thread < here.head ? 0 : static_cast<uint32_t>(vectors) + 1;
      word = lesser_word(word, element_word(to_key(widen<C>(end), line.most), number));
    }
    const auto to_element = [&](uint64_t of_block) {
      return element_of_best<N>(of_block, line.most, body - here.head, here.head,
                                static_cast<uint32_t>(vectors) * N + here.ends);
    };
    if (!join_best<kThreads>(slots, ticket, word, to_element, &word)) return;
    total = of_element_word(word);
  } else {
    Lane<Op, T, N> lane;
    int64_t index = (int64_t{blockIdx.x} * kTile + thread) * N + here.head;
    for_each_tile<Loaded<Op, T, N>, U, kThreads>(here, [&](int count, const Loaded<Op, T, N>(&x)[U], uint32_t) {
      lane.absorb(op, count, x, x, index, int64_t{kThreads} * N);
      index += kTile * N * gridDim.x;
    });
    typename Op::Partial partial = lane.partial(op);
    // Where there is no end it is zero. Asked here, it would take a predicate throughout, and sums in 64 bits need
    // those for their carries: the last load of a tile waited for one.
    constexpr bool kZeroAdds = std::is_integral_v<C> && kOp == kSum;
    if (kZeroAdds || has_end) {
      const int64_t at = thread < here.head ? thread : vectors * N + thread;
      partial = Op::combine(partial, op.map(widen<C>(end), C(0), at));
    }
    if (!join_all<Op, kThreads>(slots, ticket, partial, &total)) return;
    total = resolve<N>(Second{{kValue, line.most}}, total, body - here.head, vectors * N + here.ends);
  }
  const Second second{{kValue, line.most}};
  if constexpr (!kIsWideSum<Op>) {
    if (kRows || line.plain != nullptr)
      return write_plain<T, C>(second, {line.plain, line.as_x}, kRows ? blockIdx.y : 0, total);
  }
  write_unusual<T, Second>(second.state, output, total);
}

}  // namespace gpuopt
