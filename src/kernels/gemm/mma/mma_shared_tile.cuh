// How a tile of an operand lies in shared memory, and how fragments (mma_instruction.cuh) are read from it.
//
// A tile is kExtent rows of A (columns of B) by kKBytes bytes of k, kept in the operand's own order, so that copies
// move whole 16-byte chunks whatever the layout: rows along k where k is contiguous ("k-major"), rows along m or n
// otherwise. What is not k-major is transposed when fragments are read:
//   k-major             ldmatrix, for every element size
//   16-bit, not k-major ldmatrix.trans
//   32-bit, not k-major four plain words
//   8-bit, not k-major  ldmatrix.trans on pairs of bytes: a lane gets, of its 4 steps of k, two neighbouring rows each,
//                       and two byte permutations separate them. Fragment row r is then row 2r of the 16, r + 8 is
//                       2r + 1: fragment_row() says so to the epilogue.
// A chunk's place in its row is XORed with bits of the row number: 8 lanes that read one chunk each of 8 rows meet 32
// different banks. All row pitches are powers of two and tiles are aligned to them, so a fragment's address is the
// lane's first one XORed with a constant. Rows of 16-bit elements are at most 128 bytes: wider tiles lie in panels, one
// after the other. That is also what the tensor memory accelerator writes (swizzle of 128 bytes, a box a panel).
#pragma once

#include "gemm/mma/mma_instruction.cuh"

namespace gpuopt {

template <class T, bool kIsB, bool kKMajor, int kExtent, int kKBytes>
struct SharedTile {
  static constexpr bool kIsKMajor = kKMajor;
  static constexpr int kElement = static_cast<int>(sizeof(T));
  static constexpr int kDepth = kKBytes / kElement;  // steps of k
  static constexpr int kStepBytes = kKBytes;
  static constexpr int kRows = kKMajor ? kExtent : kDepth;
  static constexpr int kRowBytes = kKMajor ? kKBytes : kExtent * kElement;
  static constexpr int kChunks = kRowBytes / 16;                                                 // of a row
  static constexpr int kPitch = !kKMajor && kElement == 2 && kRowBytes > 128 ? 128 : kRowBytes;  // of a panel
  static constexpr int kPanels = kRowBytes / kPitch, kPanelChunks = kPitch / 16;
  static constexpr int kBytes = kRows * kRowBytes;
  static constexpr bool kBytePairs = !kKMajor && kElement == 1;
  static_assert((kChunks & (kChunks - 1)) == 0, "row pitches are powers of two");

  __device__ static __forceinline__ constexpr int swizzle(int row) {
    if constexpr (!kKMajor && kElement == 4) return (row & 3) << 1;  // a word of each of 8 rows of m in 4 rows of k
    if constexpr (kBytePairs) {                                      // rows 0, 1, 4, 5, 8, 9, 12, 13 are read together
      if constexpr (kChunks >= 8) return (row & 1) | (row >> 1 & 6);
      return (row >> 2) & (kChunks - 1);
    }
    if constexpr (kChunks >= 8) return row & 7;
    return (row / (8 / (kChunks < 8 ? kChunks : 8))) & (kChunks - 1);
  }
  static constexpr int kSwizzlePeriod = 16;  // in rows
  __device__ static __forceinline__ int offset(int row, int chunk) {
    return chunk / kPanelChunks * (kRows * kPitch) + row * kPitch + ((chunk % kPanelChunks ^ swizzle(row)) << 4);
  }

  // Row of the 16 of a block that this lane's fragment registers 0 (half 0) and 1 (half 1) hold.
  __device__ static __forceinline__ constexpr int fragment_row(int r, int half) {
    return kBytePairs ? 2 * r + half : r + 8 * half;
  }

  // Which half of the rows, and of the bytes of k, register i of a fragment holds (mma_instruction.cuh).
  __device__ static __forceinline__ constexpr int row_half(int i) { return kIsB ? i / 2 : i % 2; }
  __device__ static __forceinline__ constexpr int k_half(int i) { return kIsB ? i % 2 : i / 2; }

  // This lane's first address of the fragments of rows first, first + 1, ...
  __device__ static __forceinline__ uint32_t lane_offset(int lane, int first) {
    const int matrix = lane / 8, row = lane % 8;  // ldmatrix wants this lane's row of this register's matrix
    if constexpr (kKMajor) {
      return static_cast<uint32_t>(offset(first + row + row_half(matrix) * 8, k_half(matrix)));
    } else if constexpr (kElement == 2) {
      return static_cast<uint32_t>(offset(row + k_half(matrix) * 8, first / 8 + row_half(matrix)));
    } else if constexpr (kElement == 1) {
      return static_cast<uint32_t>(offset(matrix / 2 * 16 + row / 2 * 4 + matrix % 2 * 2 + row % 2, first / 16));
    } else {
      const int r = lane / 4, c = lane % 4;
      return static_cast<uint32_t>(offset(c, (first + r) / 4) + r % 4 * 4);
    }
  }

  // A lane_offset() so many steps of 32 bytes of k farther on (16-bit elements).
  __device__ static __forceinline__ uint32_t step_on(uint32_t offset, int steps) {
    static_assert(kElement == 2, "others would need more than one term");
    return kKMajor ? offset ^ static_cast<uint32_t>(steps * 32) : offset + static_cast<uint32_t>(steps * 16 * kPitch);
  }

  // Reads the fragment of rows first + 16 * block of the given 32 bytes of k, lane being this lane's lane_offset().
  // Written so that a loop over tiles keeps lane XORed with its few constants, and all else is a constant of the
  // instruction.
  __device__ static __forceinline__ void read(uint32_t (&q)[4], uint32_t tile, uint32_t lane, int block, int step) {
    const auto at = [&](int flip, int add) {
      return tile + (lane ^ static_cast<uint32_t>(flip)) + static_cast<uint32_t>(add);
    };
    if constexpr (kKMajor) {
      load_matrices<false>(q, at(step * 32, block * 16 * kRowBytes));
    } else if constexpr (kElement == 2) {
      load_matrices<true>(q, at(block * 32, step * 16 * kPitch));
    } else if constexpr (kElement == 1) {
      uint32_t pairs[4];
      load_matrices<true>(pairs, at(block * 16, step * 32 * kRowBytes));
#pragma unroll
      for (int i = 0; i < 4; ++i)
        q[i] = __byte_perm(pairs[2 * k_half(i)], pairs[2 * k_half(i) + 1], row_half(i) == 0 ? 0x6420 : 0x7531);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        q[i] = load_shared_word(at(block * 64 + row_half(i) * 32, (step * 8 + k_half(i) * 4) * kRowBytes));
    }
    if constexpr (kElement == 4) {
#pragma unroll
      for (uint32_t &x : q) x = round_to_tf32(x);
    }
  }
};

}  // namespace gpuopt
