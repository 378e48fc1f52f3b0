// Matrices with one short side. Where the rows are short and packed, a range of rows is one contiguous piece of memory,
// and where the columns are short and the result packed, so is a range of the result's rows. A block moves such a
// piece of both matrices through shared memory: on the packed side in vectors of 16 bytes, straight on; on the other
// side as streams, one for each short row or column, of consecutive threads.
//
// Shared memory keeps the piece in the packed order, with a gap of one element (at least 4 bytes) every 128 bytes where
// the short side is even: threads that walk along a stream step by the short side, and the gaps spread them over
// the banks. With an odd short side the steps do that alone.
#pragma once

#include "common/divider.cuh"
#include "transpose/common/tile_grid.cuh"

namespace gpuopt {

constexpr int kSkinnyThreads = 256;

// One call. packed: the side with the short rows, which may in fact have gaps between them; streams: the other.
struct SkinnyWork {
  void *packed, *streams;
  int64_t packed_step, streams_step;  // of the batch, in elements
  int64_t packed_ld, streams_ld;
  int64_t length;          // of a stream
  int32_t width;           // the short side: number of streams
  int32_t log2_piece;      // elements of each stream that a block moves
  int32_t gaps;            // 1: shared memory has them
  int32_t vectors;         // 1: the packed side is contiguous and aligned to 16 bytes
  int32_t stream_vectors;  // 1: every stream is aligned to 16 bytes
  Divider per_matrix;      // pieces
  Divider per_row;         // elements of the packed side: width
};

// Where byte b of a piece lies in shared memory.
template <int kBytes>
__device__ __forceinline__ int skinny_place(int b, int gaps) {
  constexpr int kGap = kBytes < 4 ? 4 : kBytes;
  return b + gaps * ((b >> 7) * kGap);
}

constexpr int skinny_smem_bytes(int64_t piece, int bytes) {
  return static_cast<int>(piece + ceil_div(piece, 128) * (bytes < 4 ? 4 : bytes));
}

// Reads `bytes` (whole vectors) of aligned memory into shared memory.
template <int kBytes, int kThreads>
__device__ __forceinline__ void fill_piece(unsigned char *piece, const unsigned char *from, int bytes, int gaps) {
  constexpr int kUnroll = 4;
#pragma unroll 1
  for (int b = static_cast<int>(threadIdx.x) * 16; b < bytes; b += kUnroll * kThreads * 16) {
    uint4 v[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int at = b + u * kThreads * 16;
      if (at < bytes) v[u] = *reinterpret_cast<const uint4 *>(from + at);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int at = b + u * kThreads * 16;
      if (at >= bytes) continue;
      unsigned char *to = piece + skinny_place<kBytes>(at, gaps);
      if (gaps == 0 || kBytes == 16) {
        *reinterpret_cast<uint4 *>(to) = v[u];
      } else if constexpr (kBytes == 8) {
        reinterpret_cast<uint2 *>(to)[0] = make_uint2(v[u].x, v[u].y);
        reinterpret_cast<uint2 *>(to)[1] = make_uint2(v[u].z, v[u].w);
      } else {
        reinterpret_cast<uint32_t *>(to)[0] = v[u].x;
        reinterpret_cast<uint32_t *>(to)[1] = v[u].y;
        reinterpret_cast<uint32_t *>(to)[2] = v[u].z;
        reinterpret_cast<uint32_t *>(to)[3] = v[u].w;
      }
    }
  }
}

template <int kBytes, bool kFromPacked>
__global__ void __launch_bounds__(kSkinnyThreads) transpose_skinny_kernel(SkinnyWork work) {
  extern __shared__ uint4 smem[];
  unsigned char *piece = reinterpret_cast<unsigned char *>(smem);
  constexpr int kUnroll = 4;
  int64_t index;
  const int64_t p = work.per_matrix.divide(blockIdx.x, index);
  const int64_t start = index << work.log2_piece;
  const int64_t left = work.length - start;
  const int count = static_cast<int>(left < (int64_t{1} << work.log2_piece) ? left : int64_t{1} << work.log2_piece);
  unsigned char *packed =
      static_cast<unsigned char *>(work.packed) + (p * work.packed_step + start * work.packed_ld) * int64_t{kBytes};
  Word<kBytes> *streams = static_cast<Word<kBytes> *>(work.streams) + p * work.streams_step + start;
  const int bytes = count * work.width * kBytes;
  const int whole = work.vectors ? bytes / 16 * 16 : 0;

  // What is not moved in vectors.
  const auto move_rest = [&] {
    for (int e = whole / kBytes + static_cast<int>(threadIdx.x); e < count * work.width; e += kSkinnyThreads) {
      int64_t col;
      const int64_t row = work.per_row.divide(e, col);
      Word<kBytes> *outside = reinterpret_cast<Word<kBytes> *>(packed) + row * work.packed_ld + col;
      Word<kBytes> *inside = reinterpret_cast<Word<kBytes> *>(piece + skinny_place<kBytes>(e * kBytes, work.gaps));
      *(kFromPacked ? inside : outside) = *(kFromPacked ? outside : inside);
    }
  };
  const auto move_packed = [&] {
    if constexpr (kFromPacked) {
      fill_piece<kBytes, kSkinnyThreads>(piece, packed, whole, work.gaps);
    } else {
      for (int b = static_cast<int>(threadIdx.x) * 16; b < whole; b += kSkinnyThreads * 16) {
        const unsigned char *from = piece + skinny_place<kBytes>(b, work.gaps);
        uint4 v;
        if (work.gaps == 0 || kBytes == 16) {
          v = *reinterpret_cast<const uint4 *>(from);
        } else if constexpr (kBytes == 8) {
          const uint2 low = reinterpret_cast<const uint2 *>(from)[0], high = reinterpret_cast<const uint2 *>(from)[1];
          v = make_uint4(low.x, low.y, high.x, high.y);
        } else {
          const uint32_t *word = reinterpret_cast<const uint32_t *>(from);
          v = make_uint4(word[0], word[1], word[2], word[3]);
        }
        *reinterpret_cast<uint4 *>(packed + b) = v;
      }
    }
    move_rest();
  };

  // Element e of stream s, of count each.
  const auto place = [&](int s, int e) {
    return reinterpret_cast<Word<kBytes> *>(piece + skinny_place<kBytes>((e * work.width + s) * kBytes, work.gaps));
  };
  const auto move_streams = [&] {
    const int mask = (1 << work.log2_piece) - 1, total = work.width << work.log2_piece;
#pragma unroll 1
    for (int at = static_cast<int>(threadIdx.x); at < total; at += kUnroll * kSkinnyThreads) {
      Word<kBytes> v[kUnroll];
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        const int i = at + u * kSkinnyThreads, s = i >> work.log2_piece, e = i & mask;
        if (i < total && e < count) v[u] = kFromPacked ? *place(s, e) : streams[s * work.streams_ld + e];
      }
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        const int i = at + u * kSkinnyThreads, s = i >> work.log2_piece, e = i & mask;
        if (i < total && e < count) *(kFromPacked ? &streams[s * work.streams_ld + e] : place(s, e)) = v[u];
      }
    }
  };
  // The same for whole pieces of aligned streams: a vector of a stream at a time.
  const auto move_stream_vectors = [&] {
    constexpr int kSide = 16 / kBytes;
    union {
      Word<kBytes> element[kSide];
      uint4 whole;
    } v[kUnroll];
    const int mask = (1 << work.log2_piece) - 1, total = work.width << work.log2_piece;
#pragma unroll 1
    for (int at = static_cast<int>(threadIdx.x) * kSide; at < total; at += kUnroll * kSkinnyThreads * kSide) {
      if constexpr (!kFromPacked) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
          const int i = at + u * kSkinnyThreads * kSide;
          if (i < total)
            v[u].whole =
                *reinterpret_cast<const uint4 *>(streams + (i >> work.log2_piece) * work.streams_ld + (i & mask));
        }
      }
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        const int i = at + u * kSkinnyThreads * kSide, s = i >> work.log2_piece, e = i & mask;
        if (i >= total) continue;
#pragma unroll
        for (int k = 0; k < kSide; ++k) {
          if constexpr (kFromPacked)
            v[u].element[k] = *place(s, e + k);
          else
            *place(s, e + k) = v[u].element[k];
        }
        if constexpr (kFromPacked) *reinterpret_cast<uint4 *>(streams + s * work.streams_ld + e) = v[u].whole;
      }
    }
  };
  const auto move_all_streams = [&] {
    if (work.stream_vectors != 0 && count == 1 << work.log2_piece)
      move_stream_vectors();
    else
      move_streams();
  };

  wait_for_stream();
  if constexpr (kFromPacked) {
    move_packed();
    __syncthreads();
    move_all_streams();
  } else {
    move_all_streams();
    __syncthreads();
    move_packed();
  }
}

}  // namespace gpuopt
