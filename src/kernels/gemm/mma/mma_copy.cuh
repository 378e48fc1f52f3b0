// Moving tiles from global to shared memory (mma_shared_tile.cuh): with cp.async where rows begin on 16 bytes, through
// registers where they begin anywhere.
//
// Both cut a tile into 16-byte chunks, of which each thread has the same few, and fill what lies outside the operand
// with zeros. AsyncCopy leaves the bytes to cp.async, whose source size does the filling. StagedCopy reads, for a chunk
// that begins s bytes past a 16-byte boundary, the two aligned chunks around it and shifts them together: unaligned
// rows cost twice the load instructions, but no narrow ones. An aligned chunk is read only where it lies inside the
// matrix; the few that stick out at its ends are put together from single elements.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gemm/mma/mma_warp.cuh"

namespace gpuopt {

// 16 bytes; or zeros; or the first `bytes` of them and zeros. (The pipeline primitive takes a count that is known only
// at run time through a switch over all of them, a copy instruction each.)
__device__ __forceinline__ void copy_chunk_async(uint32_t to, const char *from, bool exists) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "{\n.reg .pred none;\nsetp.eq.u32 none, %2, 0;\ncp.async.cg.shared.global [%0], [%1], 16, none;\n}" ::"r"(to),
      "l"(from), "r"(static_cast<uint32_t>(exists))
      : "memory");
#endif
}
__device__ __forceinline__ void copy_bytes_async(uint32_t to, const char *from, int32_t bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#endif
}

// Which of a tile's chunks are this thread's, and where they lie.
template <class Tile, int kThreads>
struct TileCopy {
  static constexpr int kCopies = Tile::kBytes / 16 / kThreads;
  static constexpr int kRowStep = kThreads / Tile::kChunks;
  static_assert(kCopies * 16 * kThreads == Tile::kBytes && kRowStep >= 1, "every thread has the same number of chunks");

  const char *from;
  int64_t row_step;
  int32_t row, chunk, rows_left, bytes_left;

  // The tile begins at row and byte offset `extent` along m or n and at step of k `depth`; totals in elements.
  __device__ TileCopy(const MmaOperand &operand, int64_t p, int32_t extent, int32_t depth, int32_t extents,
                      int32_t depths)
      : row(static_cast<int32_t>(threadIdx.x) / Tile::kChunks),
        chunk(static_cast<int32_t>(threadIdx.x) % Tile::kChunks) {
    const int32_t first_row = (Tile::kIsKMajor ? extent : depth) + row;
    const int32_t first_byte = (Tile::kIsKMajor ? depth : extent) * Tile::kElement + chunk * 16;
    from = operand.data + p * operand.batch_step + first_row * operand.pitch + first_byte;
    row_step = operand.pitch * kRowStep;
    rows_left = (Tile::kIsKMajor ? extents : depths) - first_row;
    bytes_left = (Tile::kIsKMajor ? depths : extents) * Tile::kElement - first_byte;
  }
  __device__ __forceinline__ int32_t valid(int i) const {
    return i * kRowStep < rows_left ? min(max(bytes_left, 0), 16) : 0;
  }
  __device__ __forceinline__ uint32_t offset(int i) const {
    if constexpr (kRowStep % Tile::kSwizzlePeriod == 0)
      return static_cast<uint32_t>(Tile::offset(row, chunk) + i * kRowStep * Tile::kPitch);
    else
      return static_cast<uint32_t>(Tile::offset(row + i * kRowStep, chunk));
  }
  __device__ __forceinline__ void advance(int64_t pitch) {
    from += Tile::kIsKMajor ? Tile::kStepBytes : pitch * Tile::kDepth;
    (Tile::kIsKMajor ? bytes_left : rows_left) -= Tile::kIsKMajor ? Tile::kStepBytes : Tile::kDepth;
  }
};

// kWhole: the operand is whole tiles deep.
template <class Tile, int kThreads, bool kWhole = false>
struct AsyncCopy : TileCopy<Tile, kThreads> {
  using Base = TileCopy<Tile, kThreads>;
  using Base::Base;
  // Queues the current tile's chunks and moves on by one.
  __device__ __forceinline__ void copy(uint32_t tile, int64_t pitch) {
    const bool partial = !kWhole && Base::bytes_left > 0 && Base::bytes_left < 16;
    if (partial) {  // a column of chunks, at an odd extent's end
#pragma unroll 1
      for (int i = 0; i < Base::kCopies; ++i)
        copy_bytes_async(tile + Base::offset(i), Base::from + i * Base::row_step, Base::valid(i));
    } else {
      const char *from = Base::from;
#pragma unroll
      for (int i = 0; i < Base::kCopies; ++i) {
        copy_chunk_async(tile + Base::offset(i), from,
                         i * Base::kRowStep < Base::rows_left && (kWhole || Base::bytes_left > 0));
        from += Base::row_step;
      }
    }
    Base::advance(pitch);
  }
};

template <class Tile, int kThreads>
struct StagedCopy : TileCopy<Tile, kThreads> {
  using Base = TileCopy<Tile, kThreads>;
  uint4 low[Base::kCopies], high[Base::kCopies];
  int32_t shift[Base::kCopies], kept[Base::kCopies];  // bytes
  const char *begin, *end;                            // of the matrix

  __device__ StagedCopy(const MmaOperand &operand, int64_t p, int32_t extent, int32_t depth, int32_t extents,
                        int32_t depths)
      : Base(operand, p, extent, depth, extents, depths) {
    const int64_t rows = Tile::kIsKMajor ? extents : depths, row_elements = Tile::kIsKMajor ? depths : extents;
    begin = operand.data + p * operand.batch_step;
    end = begin + (rows - 1) * operand.pitch + row_elements * Tile::kElement;
  }

  // Elements one by one, packed into four words.
  __device__ static __forceinline__ uint4 gather(const char *from, int32_t bytes) {
    using Word =
        std::conditional_t<Tile::kElement == 1, uint8_t, std::conditional_t<Tile::kElement == 2, uint16_t, uint32_t>>;
    uint32_t word[4] = {};
#pragma unroll
    for (int e = 0; e < 16; e += Tile::kElement) {
      if (e < bytes) word[e / 4] |= uint32_t{*reinterpret_cast<const Word *>(from + e)} << (e % 4 * 8);
    }
    return {word[0], word[1], word[2], word[3]};
  }

  // Reads the current tile's chunks into registers and moves on by one.
  __device__ __forceinline__ void fetch(int64_t pitch) {
#pragma unroll
    for (int i = 0; i < Base::kCopies; ++i) {
      const char *at = Base::from + i * Base::row_step;
      const int32_t valid = Base::valid(i), past = static_cast<int32_t>(reinterpret_cast<uintptr_t>(at) & 15);
      const char *aligned = at - past;
      const bool two = past + valid > 16;
      low[i] = high[i] = {};
      shift[i] = past;
      kept[i] = valid;
      if (valid > 0) {
        if (aligned >= begin && aligned + (two ? 32 : 16) <= end) {
          low[i] = *reinterpret_cast<const uint4 *>(aligned);
          if (two) high[i] = *reinterpret_cast<const uint4 *>(aligned + 16);
        } else {
          low[i] = gather(at, valid);
          shift[i] = 0;
        }
      }
    }
    Base::advance(pitch);
  }

  __device__ __forceinline__ void store(unsigned char *tile) const {
#pragma unroll
    for (int i = 0; i < Base::kCopies; ++i) {
      uint32_t w[8] = {low[i].x, low[i].y, low[i].z, low[i].w, high[i].x, high[i].y, high[i].z, high[i].w};
      if (shift[i] & 8) {
#pragma unroll
        for (int j = 0; j < 6; ++j) w[j] = w[j + 2];
      }
      if (shift[i] & 4) {
#pragma unroll
        for (int j = 0; j < 5; ++j) w[j] = w[j + 1];
      }
      uint32_t x[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        x[j] = __funnelshift_r(w[j], w[j + 1], static_cast<uint32_t>(shift[i] & 3) * 8);
        const int32_t left = kept[i] - 4 * j;  // bytes of this word that exist
        if (left < 4) x[j] &= left <= 0 ? 0u : (1u << (8 * left)) - 1;
      }
      *reinterpret_cast<uint4 *>(tile + Base::offset(i)) = {x[0], x[1], x[2], x[3]};
    }
  }
};

}  // namespace gpuopt
