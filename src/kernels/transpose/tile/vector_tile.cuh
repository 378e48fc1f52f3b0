// A tile that is read and written in vectors of kVector bytes on both sides, and transposed in between: blocks of a
// vector's elements squared in registers, the blocks among each other in shared memory.
//
// A thread reads kVector / kBytes vectors that lie one below the other, transposes that square block in registers, and
// stores its vectors into the transposed tile in shared memory; after a barrier every thread reads vectors of that tile
// along its rows and writes them. So shared memory too is accessed in whole vectors: per 64 bytes 4 + 4 accesses of 16
// bytes where the tile of elements takes 4 + 16. The XOR of the vector's position with the number of its block keeps
// both sides free of bank conflicts: 128 / kVector threads that store one column of blocks hit different banks, and so
// do those that read along a row.
#pragma once

#include "common/register_transpose.cuh"
#include "transpose/common/tile_grid.cuh"

namespace gpuopt {

// A tile of kRows x kCols source elements of kBytes. kSmall, for small matrices: what is read and written is the first
// to leave L2 again, which costs large ones. kTilesAhead: each block asks L2 for the tile of the block that many further
// on, which will start a fraction of a tile's time later.
template <int kBytes, int kVector, int kRows, int kCols, int kThreads, bool kSmall = false, int kTilesAhead = 0>
struct VectorTile {
  static constexpr int kSide = kVector / kBytes;  // elements of a vector, vectors of a block
  static constexpr int kBlockRows = kRows / kSide, kBlockCols = kCols / kSide;
  static constexpr int kBlocks = kBlockRows * kBlockCols / kThreads;  // for each thread
  static constexpr int kSmem = kRows * kCols * kBytes;
  static constexpr int kTileRows = kRows, kTileCols = kCols, kTileThreads = kThreads, kWordBytes = kBytes;
  static constexpr int kAhead = kTilesAhead;
  static constexpr int kKeys = 128 / kVector;
  static_assert(kVector >= kBytes && kBlocks > 0 && kBlockRows * kBlockCols % kThreads == 0 && kRows % kKeys == 0,
                "no idle threads");
  using Access = VectorOf<kVector>;

  // Vector v of row of the transposed tile, which has kBlockRows vectors a row. The XOR stays within kKeys vectors, and
  // kRows % kKeys == 0 keeps these within rows of one block.
  __device__ static __forceinline__ int position(int row, int v) {
    return (row * kBlockRows + v) ^ (row / kSide % kKeys);
  }

  __device__ static __forceinline__ Access fetch(const Word<kBytes> *from) {
    const Access *vector = reinterpret_cast<const Access *>(from);
    return kSmall ? __ldcs(vector) : *vector;
  }
  __device__ static __forceinline__ void put(Word<kBytes> *to, Access value) {
    Access *vector = reinterpret_cast<Access *>(to);
    if (kSmall) {
      __stcs(vector, value);
    } else {
      *vector = value;
    }
  }

  // Block b of the calling thread.
  __device__ static __forceinline__ int block_row(int b) {
    return (static_cast<int>(threadIdx.x) + b * kThreads) / kBlockCols;
  }
  __device__ static __forceinline__ int block_col(int b) {
    return (static_cast<int>(threadIdx.x) + b * kThreads) % kBlockCols;
  }

  __device__ static __forceinline__ void load(Vector<kVector> (&block)[kSide], const Word<kBytes> *from, int64_t ld) {
#pragma unroll
    for (int r = 0; r < kSide; ++r) block[r].whole = fetch(from + r * ld);
  }

  __device__ static __forceinline__ void transpose(Access *tile, const Vector<kVector> (&block)[kSide], int row,
                                                   int v) {
    Vector<kVector> transposed[kSide];
    transpose_registers<kBytes, kVector>(block, transposed);
#pragma unroll
    for (int c = 0; c < kSide; ++c) tile[position(row + c, v)] = transposed[c].whole;
  }

  // Tiles that lie wholly within their matrices: every load is on its way before the first is waited for. src is the
  // tile's first element, dst where that one goes.
  __device__ static __forceinline__ void read(Access *tile, const Word<kBytes> *src, int64_t ld) {
    Vector<kVector> block[kBlocks][kSide];
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) load(block[b], src + block_row(b) * kSide * ld + block_col(b) * kSide, ld);
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) transpose(tile, block[b], block_col(b) * kSide, block_row(b));
  }
  __device__ static __forceinline__ void write(Word<kBytes> *dst, int64_t ld, const Access *tile) {
    static_assert(kThreads % kBlockRows == 0, "a row of vectors to consecutive threads");
    constexpr int kRowsAtOnce = kThreads / kBlockRows;
    const int row = static_cast<int>(threadIdx.x) / kBlockRows, v = static_cast<int>(threadIdx.x) % kBlockRows;
    dst += row * ld + v * kSide;
#pragma unroll
    for (int r = 0; r < kCols; r += kRowsAtOnce) put(dst + r * ld, tile[position(row + r, v)]);
  }

  // Asks L2 for a tile that another block will read soon.
  __device__ static __forceinline__ void prefetch(const Word<kBytes> *src, int64_t ld) {
    constexpr int kLines = kCols * kBytes / 128;
#pragma unroll
    for (int line = static_cast<int>(threadIdx.x); line < kRows * kLines; line += kThreads)
      prefetch_line(src + line / kLines * ld + line % kLines * (128 / kBytes));
  }

  // The same where only rows x cols elements of the tile exist: whole blocks, then what the edges cut off, an element a
  // thread.
  __device__ static __forceinline__ void read_edge(Access *tile, const Word<kBytes> *src, int64_t ld, int rows,
                                                   int cols) {
    const int whole_rows = rows / kSide * kSide, whole_cols = cols / kSide * kSide;
#pragma unroll 1
    for (int b = 0; b < kBlocks; ++b) {
      const int v = block_row(b), i = v * kSide, j = block_col(b) * kSide;
      if (i >= whole_rows || j >= whole_cols) continue;
      Vector<kVector> block[kSide];
      load(block, src + i * ld + j, ld);
      transpose(tile, block, j, v);
    }
    const auto move = [&](int i, int j) {
      reinterpret_cast<Word<kBytes> *>(&tile[position(j, i / kSide)])[i % kSide] = src[i * ld + j];
    };
    const int right = cols - whole_cols, bottom = rows - whole_rows;
    for (int e = static_cast<int>(threadIdx.x); e < rows * right; e += kThreads)
      move(e / right, whole_cols + e % right);
    for (int e = static_cast<int>(threadIdx.x); e < bottom * whole_cols; e += kThreads)
      move(whole_rows + e / whole_cols, e % whole_cols);
  }
  __device__ static __forceinline__ void write_edge(Word<kBytes> *dst, int64_t ld, const Access *tile, int rows,
                                                    int cols) {
#pragma unroll 1
    for (int at = static_cast<int>(threadIdx.x); at < cols * kBlockRows; at += kThreads) {
      const int row = at / kBlockRows, v = at % kBlockRows, i = v * kSide;
      const Access *from = &tile[position(row, v)];
      Word<kBytes> *to = dst + row * ld + i;
      if (i + kSide <= rows) {
        *reinterpret_cast<Access *>(to) = *from;
      } else {
#pragma unroll 1
        for (int e = 0; e < kSide && i + e < rows; ++e) to[e] = reinterpret_cast<const Word<kBytes> *>(from)[e];
      }
    }
  }
};

template <class Tile>
__global__ void __launch_bounds__(Tile::kTileThreads) transpose_vector_kernel(View src, View dst, TileGrid grid) {
  constexpr int kRows = Tile::kTileRows, kCols = Tile::kTileCols, kBytes = Tile::kWordBytes;
  extern __shared__ uint4 smem[];
  typename Tile::Access *tile = reinterpret_cast<typename Tile::Access *>(smem);
  const TileGrid::Tile at = grid.tile();
  const int64_t i0 = at.row * kRows, j0 = at.col * kCols;
  const Word<kBytes> *from = matrix_of<kBytes>(src, at.p) + i0 * src.row_step + j0;
  Word<kBytes> *to = output_of<kBytes>(dst, at.p) + j0 * dst.row_step + i0;
  wait_for_stream();
  if constexpr (Tile::kAhead > 0) {
    int64_t i, j;
    if (grid.ahead(at, Tile::kAhead, kRows, kCols, i, j))
      Tile::prefetch(matrix_of<kBytes>(src, at.p) + i * src.row_step + j, src.row_step);
  }
  if (i0 + kRows <= grid.m && j0 + kCols <= grid.n) {
    Tile::read(tile, from, src.row_step);
    __syncthreads();
    Tile::write(to, dst.row_step, tile);
  } else {
    const int rows = static_cast<int>(grid.m - i0 < kRows ? grid.m - i0 : kRows);
    const int cols = static_cast<int>(grid.n - j0 < kCols ? grid.n - j0 : kCols);
    Tile::read_edge(tile, from, src.row_step, rows, cols);
    __syncthreads();
    Tile::write_edge(to, dst.row_step, tile, rows, cols);
  }
}

// The same for matrices that consist of whole tiles, with the least that must happen before the first load, which small
// calls wait for, and less for each block of a large one.
struct WholeTiles {
  const void *src;
  void *dst;
  int64_t src_batch, dst_batch;
  uint32_t src_ld, dst_ld;
};
template <class Tile>
__global__ void __launch_bounds__(Tile::kTileThreads) transpose_whole_tiles_kernel(WholeTiles matrix) {
  using Element = Word<Tile::kWordBytes>;
  extern __shared__ uint4 smem[];
  typename Tile::Access *tile = reinterpret_cast<typename Tile::Access *>(smem);
  const uint32_t i0 = blockIdx.x * Tile::kTileRows, j0 = blockIdx.y * Tile::kTileCols;
  const Element *from =
      static_cast<const Element *>(matrix.src) + blockIdx.z * matrix.src_batch + uint64_t{i0} * matrix.src_ld + j0;
  Element *to = static_cast<Element *>(matrix.dst) + blockIdx.z * matrix.dst_batch + uint64_t{j0} * matrix.dst_ld + i0;
  wait_for_stream();
  if constexpr (Tile::kAhead > 0) {
    // The tile kAhead blocks further on: past the last tile row, in the next column of tiles.
    uint32_t row = blockIdx.x + Tile::kAhead, col = blockIdx.y;
    if (row >= gridDim.x) {
      row -= gridDim.x;
      ++col;
    }
    if (row < gridDim.x && col < gridDim.y)
      Tile::prefetch(static_cast<const Element *>(matrix.src) + blockIdx.z * matrix.src_batch +
                         uint64_t{row * Tile::kTileRows} * matrix.src_ld + col * Tile::kTileCols,
                     matrix.src_ld);
  }
  Tile::read(tile, from, matrix.src_ld);
  __syncthreads();
  Tile::write(to, matrix.dst_ld, tile);
}

}  // namespace gpuopt
