// The reader of fused_act_tiles: a tile that matrices of either layout are read into and written from in vectors of
// four elements, each along its own contiguous direction; those that lie across out by way of shared memory
// (transposed_tile.cuh).
#pragma once

#include <utility>

#include "common/small_divider.cuh"
#include "fused_act/chain/transposed_tile.cuh"
#include "fused_act/common/chain_steps.cuh"

namespace gpuopt {

template <class C>
struct TileWork {
  ChainSteps<C> steps;
  int64_t rows, cols;
  SmallDivider by_tiles;  // along a row
  int32_t tiles, ahead;   // of a matrix; as many tiles further on x is asked for, 0: nowhere
};
template <class C, int kWarps, int kRunCount, int kMost, bool kHasMatrices>
struct TileReader {
  using Tile = TransposedTile<kWarps, kRunCount, kMost, kHasMatrices>;
  static constexpr int kRuns = Tile::kRuns, kRows = Tile::kRows, kThreads = Tile::kThreads;
  static constexpr int kValues = kSide * kRuns, kColumnValues = kSide, kRowValues = kRuns;
  static constexpr bool kMatrices = kHasMatrices;

  const TileWork<C> &work;
  Tile tile;

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

  template <class E>
  __device__ __forceinline__ E *corner(const View &view, const TilePlace &at) const {
    return static_cast<E *>(view.data) + view.offset(blockIdx.y, at.first_row, at.first_col);
  }
  template <class E>
  __device__ __forceinline__ Fit fit_of(const View &view, bool transposed, const TilePlace &at, const E *corner) const {
    constexpr uint32_t kMask = kAccessBytes<E, kSide> - 1;
    const uint32_t step = static_cast<uint32_t>(transposed ? view.col_step : view.row_step);
    const uint32_t past =
        (static_cast<uint32_t>(reinterpret_cast<uintptr_t>(corner)) | step * static_cast<uint32_t>(sizeof(E))) & kMask;
    if (at.rows < kRows || at.cols < kTileCols) return Fit::kEdge;
    if (past == 0) return Fit::kWhole;
    const bool inside =
        transposed ? at.first_row > 0 && at.rows >= kRows + kSide : at.first_col > 0 && at.cols >= kTileCols + kSide;
    return inside ? Fit::kUnaligned : Fit::kEdge;
  }
  // Puts a matrix's tile into shared memory if it cannot be read directly; whether it has.
  template <int kBytes>
  __device__ __forceinline__ bool bring(const View &view, bool transposed, Fit fit, const TilePlace &where,
                                        const UnsignedOf<kBytes> *from) const {
    if (transposed) {
      if (fit == Fit::kWhole)
        tile.template bring_transposed<kBytes, false>(from, view.col_step);
      else if (fit == Fit::kUnaligned)
        tile.template bring_transposed<kBytes, true>(from, view.col_step);
      else
        tile.template bring_transposed_edge<kBytes>(from, view.col_step, where.rows, where.cols);
    } else if (fit == Fit::kEdge) {  // by way of the thread's own places, so that the loop needs no registers by number
      const int index = thread_number(), lane = index % kLanes;
      __syncthreads();
#pragma unroll 1
      for (int row = index / kLanes; row < kRows; row += kWarps)
        tile.template put<kBytes>(Tile::place(row, lane),
                                  load_four<kBytes>(from + (row * view.row_step + lane * kSide),
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
      const int at = Tile::place(warp, lane);
#pragma unroll
      for (int r = 0; r < kCount; ++r)
        words[r] = tile.template take<kBytes>(at + (kFirst + r) * (kWarps / kSide) * kGroupVectors);
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
    with_type_of_size<kBytes>(view.dtype,
                              [&](auto tag) { widen_rows<typename decltype(tag)::type, C, kSide>(words, x); });
  }

  __device__ __forceinline__ void read_matrix(const View &view, C (&x)[kValues]) const {
    with_size<kMost>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const bool transposed = view.col_step != 1;
      const TilePlace where = here();
      const auto *from = corner<const UnsignedOf<kBytes>>(view, where);
      const Fit fit = fit_of(view, transposed, where, from);
      collect<kBytes, 0, kRuns>(view, bring<kBytes>(view, transposed, fit, where, from), fit, from, x);
    });
  }
  // A stage with a matrix, for some of the runs at a time.
  __device__ __forceinline__ void apply_matrix(int32_t op, C factor, const View &view, C (&x)[kValues]) const {
    constexpr int kCount = sizeof(C) == 8 ? 1 : 4;
    with_size<kMost>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      const bool transposed = view.col_step != 1;
      const TilePlace where = here();
      const auto *from = corner<const UnsignedOf<kBytes>>(view, where);
      const Fit fit = fit_of(view, transposed, where, from);
      const bool in_tile = bring<kBytes>(view, transposed, fit, where, from);
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
    (f(std::integral_constant<int, kIndex * kCount>{}), ...);
  }
  __device__ __forceinline__ void write_matrix(const View &view, const C (&x)[kValues]) const {
    with_size<kMost>(view.dtype, [&](auto size) {
      constexpr int kBytes = decltype(size)::value;
      using E = UnsignedOf<kBytes>;
      const bool transposed = view.col_step != 1;
      const TilePlace where = here();
      E *to = corner<E>(view, where);
      const bool direct = !transposed && fit_of(view, transposed, where, to) == Fit::kWhole;
      const int index = thread_number(), lane = index % kLanes, warp = index / kLanes;
      if (!direct) __syncthreads();  // what the tile had has been read
      with_type_of_size<kBytes>(view.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        E *line = to + (warp * view.row_step + lane * kSide);
        const int at = Tile::place(warp, lane);
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
          const auto words = narrow_row<T, kSide>(x, r);
          if (direct)
            store_whole(line, words);
          else
            tile.template put<kBytes>(at + r * (kWarps / kSide) * kGroupVectors, words);
          line += kWarps * view.row_step;
        }
      });
      if (direct) return;
      __syncthreads();
      if (transposed)
        tile.template write_transposed<kBytes>(to, view.col_step, where.rows, where.cols);
      else
        tile.template write_rows<kBytes>(to, view.row_step, where.rows, where.cols);
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
