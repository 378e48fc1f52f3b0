// The reader of fused_act_tiles_vec: a tile that matrices of either layout are read into and written from in vectors of
// four elements, each along its own contiguous direction.
//
// A warp has rows of the tile, a thread four columns of kRuns of them. A matrix whose columns are contiguous turns over
// as stored, not as computed with: a thread reads four vectors that lie side by side, turns these 4 x 4 elements in
// registers (register_transpose.cuh), and stores them as vectors of rows into shared memory, where every thread then
// finds its own. Rows lie 32 vectors apart there, with one vector of padding after every four of them: a warp that
// stores has a row in each group of four, so its accesses are spread over all banks; one that loads has neighbours; and
// both find what follows at distances that the compiler knows. 8-byte elements are two such planes of half vectors.
//
// A matrix that is not aligned is read by whole accesses, one more, and shifted, where the tile lies inside; at the
// edges element by element. An unaligned row is written as aligned vectors, cut anew out of shared memory.
#ifndef GPUOPT_KERNELS_FUSED_ACT_TURNED_TILE_CUH
#define GPUOPT_KERNELS_FUSED_ACT_TURNED_TILE_CUH

#include <utility>

#include "fused_act/chain_steps.cuh"
#include "fused_act/turned_words.cuh"

namespace gpuopt {

template <class C>
struct TileWork {
  ChainSteps<C> steps;
  int64_t rows, cols;
  SmallDivider by_tiles;  // along a row
  int32_t tiles, ahead;   // of a matrix; as many tiles further on x is asked for, 0: nowhere
};

// kMost: bytes of the largest element of a matrix.
template <class C, int kWarps, int kRunCount, int kMost, bool kHasMatrices>
struct TileReader {
  static constexpr int kRuns = kRunCount, kRows = kWarps * kRuns, kThreads = kLanes * kWarps;
  static constexpr int kValues = kSide * kRuns, kColumnValues = kSide, kRowValues = kRuns;
  static constexpr bool kMatrices = kHasMatrices;
  static constexpr int kGroups = kRows / kSide, kSquares = kRuns / kSide;
  static constexpr int kPlane = kGroups * kGroupVectors;  // vectors
  static constexpr int kTileBytes = kSide * kMost * kPlane;
  static_assert(kGroups <= kLanes && kLanes % kGroups == 0 && kRuns % kSide == 0 && kWarps % kSide == 0,
                "a warp turns whole columns of squares, a thread as much as it holds");

  const TileWork<C> &work;
  uint32_t *tile;

  __device__ __forceinline__ TilePlace place_of(int32_t index) const {
    const auto up_to = [](int64_t left) {
      return left < (int64_t{1} << 30) ? static_cast<int32_t>(left) : int32_t{1} << 30;
    };
    int32_t col;
    const int32_t row = work.by_tiles.divide(index, col);
    const int64_t first_row = int64_t{row} * kRows, first_col = int64_t{col} * kTileCols;
    return {first_row, first_col, up_to(work.rows - first_row), up_to(work.cols - first_col)};
  }
  __device__ __forceinline__ TilePlace here() const { return place_of(block_number()); }

  // First column of vectors and row of vectors of the squares that the thread turns, and the step to the next square's
  // column: threads of a warp that share a row of squares are kGroups apart across.
  struct Square {
    int across, down;
  };
  static __device__ __forceinline__ Square square_of(int index) {
    constexpr int kTogether = kLanes / kGroups;
    const int rest = index / kGroups;
    return {rest % kTogether * kGroups + rest / kTogether, index % kGroups};
  }
  static constexpr int kNextSquare = kThreads / kGroups / (kLanes / kGroups);  // further across

  template <class E>
  __device__ __forceinline__ E *corner(const View &view, const TilePlace &at) const {
    return static_cast<E *>(view.data) + view.offset(blockIdx.y, at.first_row, at.first_col);
  }
  template <class E>
  __device__ __forceinline__ Fit fit_of(const View &view, bool turned, const TilePlace &at, const E *corner) const {
    constexpr uint32_t kMask = kAccessBytes<E, kSide> - 1;
    const uint32_t step = static_cast<uint32_t>(turned ? view.col_step : view.row_step);
    const uint32_t misfit =
        (static_cast<uint32_t>(reinterpret_cast<uintptr_t>(corner)) | step * static_cast<uint32_t>(sizeof(E))) & kMask;
    if (at.rows < kRows || at.cols < kTileCols) return Fit::kEdge;
    if (misfit == 0) return Fit::kWhole;
    const bool inside =
        turned ? at.first_row > 0 && at.rows >= kRows + kSide : at.first_col > 0 && at.cols >= kTileCols + kSide;
    return inside ? Fit::kShifted : Fit::kEdge;
  }

  // A vector of the tile's rows: the first of a column of such, and how many further.
  static __device__ __forceinline__ int place(int row, int across) {
    return row / kSide * kGroupVectors + row % kSide * kLanes + across;
  }
  template <int kBytes>
  __device__ __forceinline__ void put(int at, const Words<kBytes, kSide> &words) const {
    constexpr int kPart = kBytes < 4 ? kBytes : 4;  // words of an access
#pragma unroll
    for (int h = 0; h < kBytes / kPart; ++h) {
      Access<4 * kPart> part;
#pragma unroll
      for (int w = 0; w < kPart; ++w) part.w[w] = words.w[h * kPart + w];
      reinterpret_cast<Access<4 * kPart> *>(tile)[h * kPlane + at] = part;
    }
  }
  template <int kBytes>
  __device__ __forceinline__ Words<kBytes, kSide> take(int at) const {
    constexpr int kPart = kBytes < 4 ? kBytes : 4;
    Words<kBytes, kSide> words;
#pragma unroll
    for (int h = 0; h < kBytes / kPart; ++h) {
      const auto part = reinterpret_cast<const Access<4 * kPart> *>(tile)[h * kPlane + at];
#pragma unroll
      for (int w = 0; w < kPart; ++w) words.w[h * kPart + w] = part.w[w];
    }
    return words;
  }
  // Element column + e of the row whose first vector lies at `at`.
  template <int kBytes>
  __device__ __forceinline__ UnsignedOf<kBytes> element(int at, int column) const {
    const auto *elements = reinterpret_cast<const UnsignedOf<kBytes> *>(tile);
    if constexpr (kBytes == 8) {
      return elements[(column % kSide / 2 * kPlane + at + column / kSide) * 2 + column % 2];
    } else {
      return elements[at * kSide + column];
    }
  }

  // The tile of a matrix whose columns are contiguous, into shared memory.
  template <int kBytes, bool kShift>
  __device__ __forceinline__ void turn_inside(const UnsignedOf<kBytes> *from, int64_t step) const {
    using E = UnsignedOf<kBytes>;
    const Square square = square_of(thread_number());
    from += square.across * kSide * step + square.down * kSide;
    const int at = place(square.down * kSide, square.across);
    constexpr int kAtOnce = kShift || kHasMatrices ? 1 : kSquares;  // as registers allow
#pragma unroll 1
    for (int first = 0; first < kSquares; first += kAtOnce) {
      Words<kBytes, kSide> squares[kAtOnce][kSide];
#pragma unroll
      for (int s = 0; s < kAtOnce; ++s) {
#pragma unroll
        for (int c = 0; c < kSide; ++c) {
          const E *here = from + ((first + s) * kNextSquare * kSide + c) * step;
          squares[s][c] = kShift ? load_anywhere<kBytes>(here) : load_bits<E, kSide>(here);
        }
      }
      if (first == 0) __syncthreads();  // what was there has been read
#pragma unroll
      for (int s = 0; s < kAtOnce; ++s) {
        Words<kBytes, kSide> turned[kSide];
        turn_square<kBytes>(squares[s], turned);
#pragma unroll
        for (int r = 0; r < kSide; ++r) put<kBytes>(at + (first + s) * kNextSquare + r * kLanes, turned[r]);
      }
    }
  }
  template <int kBytes>
  __device__ __forceinline__ void turn_edge(const UnsignedOf<kBytes> *from, int64_t step, int32_t rows,
                                            int32_t cols) const {
    const Square square = square_of(thread_number());
    const int32_t down = square.down * kSide, left = rows - down;
    __syncthreads();
#pragma unroll 1
    for (int s = 0; s < kSquares; ++s) {
      const int across = square.across + s * kNextSquare;
      Words<kBytes, kSide> columns[kSide], turned[kSide];
#pragma unroll
      for (int c = 0; c < kSide; ++c) {
        const int32_t column = across * kSide + c;
        columns[c] = load_four<kBytes>(from + (column * step + down), column < cols ? left : 0);
      }
      turn_square<kBytes>(columns, turned);
#pragma unroll
      for (int r = 0; r < kSide; ++r) put<kBytes>(place(down, across) + r * kLanes, turned[r]);
    }
  }
  // And out of it.
  template <int kBytes>
  __device__ __forceinline__ void turn_out(UnsignedOf<kBytes> *to, int64_t step, int32_t rows, int32_t cols) const {
    const Square square = square_of(thread_number());
    const int32_t down = square.down * kSide, left = rows - down;
#pragma unroll 1
    for (int s = 0; s < kSquares; ++s) {
      const int across = square.across + s * kNextSquare;
      Words<kBytes, kSide> lines[kSide], turned[kSide];
#pragma unroll
      for (int r = 0; r < kSide; ++r) lines[r] = take<kBytes>(place(down, across) + r * kLanes);
      turn_square<kBytes>(lines, turned);
#pragma unroll
      for (int c = 0; c < kSide; ++c) {
        const int32_t column = across * kSide + c;
        if (column < cols) store_four<kBytes>(to + (column * step + down), left, turned[c]);
      }
    }
  }
  // Rows out of it, as aligned vectors wherever they begin: vector v has elements from 4 v - misfit on.
  template <int kBytes>
  __device__ __forceinline__ void write_rows(UnsignedOf<kBytes> *to, int64_t step, int32_t rows, int32_t cols) const {
    using E = UnsignedOf<kBytes>;
    const int index = thread_number(), lane = index % kLanes, width = cols < kTileCols ? cols : kTileCols;
    to += index / kLanes * step;
#pragma unroll 1
    for (int row = index / kLanes; row < kRows && row < rows; row += kWarps, to += kWarps * step) {
      const int at = place(row, 0);
      const auto misfit = static_cast<int>(reinterpret_cast<uintptr_t>(to) % kAccessBytes<E, kSide> / kBytes);
      const int first = lane * kSide - misfit;
      if (first >= 0 && first + kSide <= width) {
        Bits<E, kSide> words = {};
#pragma unroll
        for (int e = 0; e < kSide; ++e) set_element(words, e, element<kBytes>(at, first + e));
        store_whole<kBytes>(to + first, words);
      } else {
#pragma unroll 1
        for (int e = first; e < first + kSide; ++e) {
          if (e >= 0 && e < width) to[e] = element<kBytes>(at, e);
        }
      }
      const int last = kTileCols - misfit + lane;  // those of the 33rd vector
      if (last < width) to[last] = element<kBytes>(at, last);
    }
  }

  // Puts a matrix's tile into shared memory if it cannot be read directly; whether it has.
  template <int kBytes>
  __device__ __forceinline__ bool bring(const View &view, bool turned, Fit fit, const TilePlace &where,
                                        const UnsignedOf<kBytes> *from) const {
    if (turned) {
      if (fit == Fit::kWhole)
        turn_inside<kBytes, false>(from, view.col_step);
      else if (fit == Fit::kShifted)
        turn_inside<kBytes, true>(from, view.col_step);
      else
        turn_edge<kBytes>(from, view.col_step, where.rows, where.cols);
    } else if (fit == Fit::kEdge) {  // by way of the thread's own places, so that the loop needs no registers by number
      const int index = thread_number(), lane = index % kLanes;
      __syncthreads();
#pragma unroll 1
      for (int row = index / kLanes; row < kRows; row += kWarps)
        put<kBytes>(place(row, lane), load_four<kBytes>(from + (row * view.row_step + lane * kSide),
                                                        row < where.rows ? where.cols - lane * kSide : 0));
    } else {
      return false;
    }
    __syncthreads();
    return true;
  }
  // kCount runs of the thread from kFirst on.
  template <int kBytes, int kFirst, int kCount>
  __device__ __forceinline__ void collect(const View &view, bool in_tile, Fit fit, const UnsignedOf<kBytes> *from,
                                          C (&x)[kCount * kSide]) const {
    using E = UnsignedOf<kBytes>;
    const int index = thread_number(), lane = index % kLanes, warp = index / kLanes;
    Words<kBytes, kSide> words[kCount];
    if (in_tile) {
      const int at = place(warp, lane);
#pragma unroll
      for (int r = 0; r < kCount; ++r) words[r] = take<kBytes>(at + (kFirst + r) * (kWarps / kSide) * kGroupVectors);
    } else {
      from += (warp + kFirst * kWarps) * view.row_step + lane * kSide;
      if (fit == Fit::kWhole) {
#pragma unroll
        for (int r = 0; r < kCount; ++r) words[r] = load_bits<E, kSide>(from + r * kWarps * view.row_step);
      } else {
#pragma unroll
        for (int r = 0; r < kCount; ++r) words[r] = load_anywhere<kBytes>(from + r * kWarps * view.row_step);
      }
    }
    with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
#pragma unroll
      for (int r = 0; r < kCount; ++r) {
        C run[kSide];
        widen_words<typename decltype(tag)::type>(words[r], run);
#pragma unroll
        for (int e = 0; e < kSide; ++e) x[r * kSide + e] = run[e];
      }
    });
  }

  __device__ __forceinline__ void read_matrix(const View &view, C (&x)[kValues]) const {
    with_size<kMost>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const bool turned = view.col_step != 1;
      const TilePlace where = here();
      const auto *from = corner<const UnsignedOf<kBytes>>(view, where);
      const Fit fit = fit_of(view, turned, where, from);
      collect<kBytes, 0, kRuns>(view, bring<kBytes>(view, turned, fit, where, from), fit, from, x);
    });
  }
  // A stage with a matrix, for some of the runs at a time.
  __device__ __forceinline__ void apply_matrix(int32_t op, C factor, const View &view, C (&x)[kValues]) const {
    constexpr int kCount = sizeof(C) == 8 ? 1 : 4;
    with_size<kMost>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const bool turned = view.col_step != 1;
      const TilePlace where = here();
      const auto *from = corner<const UnsignedOf<kBytes>>(view, where);
      const Fit fit = fit_of(view, turned, where, from);
      const bool in_tile = bring<kBytes>(view, turned, fit, where, from);
      const auto some = [&](auto first) {
        constexpr int kFirst = decltype(first)::value;
        C a[kCount * kSide], y[kCount * kSide];
        collect<kBytes, kFirst, kCount>(view, in_tile, fit, from, a);
#pragma unroll
        for (int e = 0; e < kCount * kSide; ++e) y[e] = x[kFirst * kSide + e];
        apply_with_matrix(op, factor, a, y);
#pragma unroll
        for (int e = 0; e < kCount * kSide; ++e) x[kFirst * kSide + e] = y[e];
      };
      each_of<kCount>(some, std::make_integer_sequence<int, kRuns / kCount>{});
    });
  }
  template <int kCount, class F, int... kIndex>
  static __device__ __forceinline__ void each_of(F &&f, std::integer_sequence<int, kIndex...>) {
    (f(cuda::std::integral_constant<int, kIndex * kCount>{}), ...);
  }
  __device__ __forceinline__ void write_matrix(const View &view, const C (&x)[kValues]) const {
    with_size<kMost>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      using E = UnsignedOf<kBytes>;
      const bool turned = view.col_step != 1;
      const TilePlace where = here();
      E *to = corner<E>(view, where);
      const bool direct = !turned && fit_of(view, turned, where, to) == Fit::kWhole;
      const int index = thread_number(), lane = index % kLanes, warp = index / kLanes;
      if (!direct) __syncthreads();  // what the tile had has been read
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        E *line = to + (warp * view.row_step + lane * kSide);
        const int at = place(warp, lane);
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
          C run[kSide];
#pragma unroll
          for (int e = 0; e < kSide; ++e) run[e] = x[r * kSide + e];
          const auto words = narrow_words<T>(run);
          if (direct)
            store_whole<kBytes>(line, words);
          else
            put<kBytes>(at + r * (kWarps / kSide) * kGroupVectors, words);
          line += kWarps * view.row_step;
        }
      });
      if (direct) return;
      __syncthreads();
      if (turned)
        turn_out<kBytes>(to, view.col_step, where.rows, where.cols);
      else
        write_rows<kBytes>(to, view.row_step, where.rows, where.cols);
    });
  }

  // Elements that do not exist are any.
  __device__ __forceinline__ void read_per_col(const View &view, C (&v)[kSide]) const {
    with_size<sizeof(C)>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      using E = UnsignedOf<kBytes>;
      const TilePlace where = here();
      const int32_t at = thread_number() % kLanes * kSide;
      const E *from = static_cast<const E *>(view.data) + view.offset(blockIdx.y, 0, where.first_col + at);
      Words<kBytes, kSide> words = {};
      if (view.col_step == 1 && at + kSide <= where.cols && is_aligned<E, kSide>(from)) {
        words = load_bits<E, kSide>(from);
      } else {
#pragma unroll
        for (int e = 0; e < kSide; ++e, from += view.col_step) {
          if (at + e < where.cols) set_element(words, e, *from);
        }
      }
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) { widen_words<typename decltype(tag)::type>(words, v); });
    });
  }
  __device__ __forceinline__ void read_per_row(const View &view, C (&v)[kRuns]) const {
    with_size<sizeof(C)>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      using E = UnsignedOf<kBytes>;
      const TilePlace where = here();
      const int warp = thread_number() / kLanes;
      const E *from = static_cast<const E *>(view.data) + view.offset(blockIdx.y, where.first_row + warp, 0);
      Words<kBytes, kRuns> raw = {};
#pragma unroll
      for (int r = 0; r < kRuns; ++r, from += kWarps * view.row_step) {
        if (warp + r * kWarps < where.rows) set_element(raw, r, *from);
      }
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) { widen_words<typename decltype(tag)::type>(raw, v); });
    });
  }
};

template <class C, int kWarps, int kRuns, int kMost, bool kHasMatrices>
constexpr bool kAppliesMatrices<TileReader<C, kWarps, kRuns, kMost, kHasMatrices>> = true;

}  // namespace gpuopt

#endif
