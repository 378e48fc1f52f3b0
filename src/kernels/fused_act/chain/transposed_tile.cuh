// A tile in shared memory that matrices of either layout are read into and written from in vectors of
// four elements, each along its own contiguous direction.
//
// A warp has rows of the tile, a thread four columns of kRuns of them. A matrix whose columns are contiguous is
// transposed as stored, not as computed with: a thread reads four vectors that lie side by side, transposes these 4 x 4
// elements in registers (register_transpose.cuh), and stores them as vectors of rows into shared memory, where every
// thread then finds its own. Rows lie 32 vectors apart there, with one vector of padding after every four of them: a
// warp that stores has a row in each group of four, so its accesses are spread over all banks; one that loads has
// neighbours; and both find what follows at distances that the compiler knows. 8-byte elements are two such planes of
// half vectors.
//
// A matrix that is not aligned is read by whole accesses, one more, and shifted, where the tile lies inside; at the
// edges element by element. An unaligned row is written as aligned vectors, cut anew out of shared memory.
#pragma once

#include "fused_act/chain/transposed_words.cuh"

namespace gpuopt {

// kMost: bytes of the largest element of a matrix.
template <int kWarps, int kRunCount, int kMost, bool kHasMatrices>
struct TransposedTile {
  static constexpr int kRuns = kRunCount, kRows = kWarps * kRuns, kThreads = kLanes * kWarps;
  static constexpr int kGroups = kRows / kSide, kSquares = kRuns / kSide;
  static constexpr int kPlane = kGroups * kGroupVectors;  // vectors
  static constexpr int kTileBytes = kSide * kMost * kPlane;
  static_assert(kGroups <= kLanes && kLanes % kGroups == 0 && kRuns % kSide == 0 && kWarps % kSide == 0,
                "a warp transposes whole columns of squares, a thread as much as it holds");

  uint32_t *memory;

  // First column of vectors and row of vectors of the squares that the thread transposes, and the step to the next
  // square's column: threads of a warp that share a row of squares are kGroups apart across.
  struct Square {
    int across, down;
  };
  static __device__ __forceinline__ Square square_of(int index) {
    constexpr int kTogether = kLanes / kGroups;
    const int rest = index / kGroups;
    return {rest % kTogether * kGroups + rest / kTogether, index % kGroups};
  }
  static constexpr int kNextSquare = kThreads / kGroups / (kLanes / kGroups);  // further across
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
      reinterpret_cast<Access<4 * kPart> *>(memory)[h * kPlane + at] = part;
    }
  }
  template <int kBytes>
  __device__ __forceinline__ Words<kBytes, kSide> take(int at) const {
    constexpr int kPart = kBytes < 4 ? kBytes : 4;
    Words<kBytes, kSide> words;
#pragma unroll
    for (int h = 0; h < kBytes / kPart; ++h) {
      const auto part = reinterpret_cast<const Access<4 * kPart> *>(memory)[h * kPlane + at];
#pragma unroll
      for (int w = 0; w < kPart; ++w) words.w[h * kPart + w] = part.w[w];
    }
    return words;
  }
  // Element column + e of the row whose first vector lies at `at`.
  template <int kBytes>
  __device__ __forceinline__ UnsignedOf<kBytes> element(int at, int column) const {
    const auto *elements = reinterpret_cast<const UnsignedOf<kBytes> *>(memory);
    if constexpr (kBytes == 8) {
      return elements[(column % kSide / 2 * kPlane + at + column / kSide) * 2 + column % 2];
    } else {
      return elements[at * kSide + column];
    }
  }

  // The tile of a matrix whose columns are contiguous, into shared memory.
  template <int kBytes, bool kShift>
  __device__ __forceinline__ void bring_transposed(const UnsignedOf<kBytes> *from, int64_t step) const {
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
        Words<kBytes, kSide> transposed[kSide];
        transpose_square<kBytes>(squares[s], transposed);
#pragma unroll
        for (int r = 0; r < kSide; ++r) put<kBytes>(at + (first + s) * kNextSquare + r * kLanes, transposed[r]);
      }
    }
  }
  template <int kBytes>
  __device__ __forceinline__ void bring_transposed_edge(const UnsignedOf<kBytes> *from, int64_t step, int32_t rows,
                                                        int32_t cols) const {
    const Square square = square_of(thread_number());
    const int32_t down = square.down * kSide, left = rows - down;
    __syncthreads();
#pragma unroll 1
    for (int s = 0; s < kSquares; ++s) {
      const int across = square.across + s * kNextSquare;
      Words<kBytes, kSide> columns[kSide], transposed[kSide];
#pragma unroll
      for (int c = 0; c < kSide; ++c) {
        const int32_t column = across * kSide + c;
        columns[c] = load_four<kBytes>(from + (column * step + down), column < cols ? left : 0);
      }
      transpose_square<kBytes>(columns, transposed);
#pragma unroll
      for (int r = 0; r < kSide; ++r) put<kBytes>(place(down, across) + r * kLanes, transposed[r]);
    }
  }
  // And out of it.
  template <int kBytes>
  __device__ __forceinline__ void write_transposed(UnsignedOf<kBytes> *to, int64_t step, int32_t rows,
                                                   int32_t cols) const {
    const Square square = square_of(thread_number());
    const int32_t down = square.down * kSide, left = rows - down;
#pragma unroll 1
    for (int s = 0; s < kSquares; ++s) {
      const int across = square.across + s * kNextSquare;
      Words<kBytes, kSide> lines[kSide], transposed[kSide];
#pragma unroll
      for (int r = 0; r < kSide; ++r) lines[r] = take<kBytes>(place(down, across) + r * kLanes);
      transpose_square<kBytes>(lines, transposed);
#pragma unroll
      for (int c = 0; c < kSide; ++c) {
        const int32_t column = across * kSide + c;
        if (column < cols) store_four<kBytes>(to + (column * step + down), left, transposed[c]);
      }
    }
  }
  // Rows out of it, as aligned vectors wherever they begin: vector v has elements from 4 v - past on.
  template <int kBytes>
  __device__ __forceinline__ void write_rows(UnsignedOf<kBytes> *to, int64_t step, int32_t rows, int32_t cols) const {
    using E = UnsignedOf<kBytes>;
    const int index = thread_number(), lane = index % kLanes, width = cols < kTileCols ? cols : kTileCols;
    to += index / kLanes * step;
#pragma unroll 1
    for (int row = index / kLanes; row < kRows && row < rows; row += kWarps, to += kWarps * step) {
      const int at = place(row, 0);
      const auto past = static_cast<int>(reinterpret_cast<uintptr_t>(to) % kAccessBytes<E, kSide> / kBytes);
      const int first = lane * kSide - past;
      if (first >= 0 && first + kSide <= width) {
        Bits<E, kSide> words = {};
#pragma unroll
        for (int e = 0; e < kSide; ++e) set_element(words, e, element<kBytes>(at, first + e));
        store_whole(to + first, words);
      } else {
#pragma unroll 1
        for (int e = first; e < first + kSide; ++e) {
          if (e >= 0 && e < width) to[e] = element<kBytes>(at, e);
        }
      }
      const int last = kTileCols - past + lane;  // those of the 33rd vector
      if (last < width) to[last] = element<kBytes>(at, last);
    }
  }
};

}  // namespace gpuopt
