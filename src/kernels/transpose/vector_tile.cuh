// A tile that is read and written in vectors of kVector bytes on both sides, and turned over in between: blocks of a
// vector's elements squared in registers, the blocks among each other in shared memory.
//
// A thread reads kVector / kBytes vectors that lie one below the other, transposes that square block in registers, and
// stores its vectors into the transposed tile in shared memory; after a barrier every thread reads vectors of that
// tile along its rows and writes them. So shared memory too is accessed in whole vectors: per 64 bytes 4 + 4 accesses
// of 16 bytes where the tile of elements takes 4 + 16. The XOR of the vector's position with the number of its block
// keeps both sides free of bank conflicts: 128 / kVector threads that store one column of blocks hit different
// banks, and so do those that read along a row.
#ifndef GPUOPT_KERNELS_TRANSPOSE_VECTOR_TILE_CUH
#define GPUOPT_KERNELS_TRANSPOSE_VECTOR_TILE_CUH

#include "register_transpose.cuh"
#include "tile_grid.cuh"

namespace gpuopt {

// A tile of kRows x kCols source elements of kBytes. kStream: what is read and written is the first to leave L2 again,
// which helps small matrices (1024 x 1024 f32: 3.75 us in a graph instead of 3.95) and costs large ones 2 %.
template <int kBytes, int kVector, int kRows, int kCols, int kThreads, bool kStream = false>
struct VectorTile {
  static constexpr int kSide = kVector / kBytes;  // elements of a vector, vectors of a block
  static constexpr int kBlockRows = kRows / kSide, kBlockCols = kCols / kSide;
  static constexpr int kBlocks = kBlockRows * kBlockCols / kThreads;  // for each thread
  static constexpr int kSmem = kRows * kCols * kBytes;
  static constexpr int kTileRows = kRows, kTileCols = kCols, kTileThreads = kThreads;
  static constexpr int kKeys = 128 / kVector;
  static_assert(kVector >= kBytes && kBlocks > 0 && kBlockRows * kBlockCols % kThreads == 0 && kRows % kKeys == 0,
                "no idle threads");
  using Access = typename VectorOf<kVector>::type;

  // Vector v of row of the transposed tile, which has kBlockRows vectors a row. The XOR stays within kKeys
  // vectors, and kRows % kKeys == 0 keeps these within rows of one block.
  __device__ static __forceinline__ int position(int row, int v) {
    return (row * kBlockRows + v) ^ (row / kSide % kKeys);
  }

  __device__ static __forceinline__ Access fetch(const Word<kBytes> *from) {
    const Access *vector = reinterpret_cast<const Access *>(from);
    return kStream ? __ldcs(vector) : *vector;
  }
  __device__ static __forceinline__ void put(Word<kBytes> *to, Access value) {
    Access *vector = reinterpret_cast<Access *>(to);
    if (kStream) {
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

  __device__ static __forceinline__ void turn(Access *tile, const Vector<kVector> (&block)[kSide], int row, int v) {
    Vector<kVector> turned[kSide];
    transpose_registers<kBytes, kVector>(block, turned);
#pragma unroll
    for (int c = 0; c < kSide; ++c) tile[position(row + c, v)] = turned[c].whole;
  }

  // Tiles that lie wholly within their matrices: every load is on its way before the first is waited for. src is the
  // tile's first element, dst where that one goes.
  __device__ static __forceinline__ void read(Access *tile, const Word<kBytes> *src, int64_t ld) {
    Vector<kVector> block[kBlocks][kSide];
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) load(block[b], src + block_row(b) * kSide * ld + block_col(b) * kSide, ld);
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) turn(tile, block[b], block_col(b) * kSide, block_row(b));
  }
  __device__ static __forceinline__ void write(Word<kBytes> *dst, int64_t ld, const Access *tile) {
    static_assert(kThreads % kBlockRows == 0, "a row of vectors to consecutive threads");
    constexpr int kRowsAtOnce = kThreads / kBlockRows;
    const int row = static_cast<int>(threadIdx.x) / kBlockRows, v = static_cast<int>(threadIdx.x) % kBlockRows;
    dst += row * ld + v * kSide;
#pragma unroll
    for (int r = 0; r < kCols; r += kRowsAtOnce) put(dst + r * ld, tile[position(row + r, v)]);
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
      turn(tile, block, j, v);
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

template <int kBytes, int kVector, int kRows, int kCols, int kThreads, bool kStream>
__global__ void __launch_bounds__(kThreads) transpose_vector_kernel(View src, View dst, TileGrid grid) {
  using Tile = VectorTile<kBytes, kVector, kRows, kCols, kThreads, kStream>;
  extern __shared__ uint4 smem[];
  typename Tile::Access *tile = reinterpret_cast<typename Tile::Access *>(smem);
  const TileGrid::Tile at = grid.tile();
  const int64_t i0 = at.row * kRows, j0 = at.col * kCols;
  const Word<kBytes> *from = matrix_of<kBytes>(src, at.p) + i0 * src.row_step + j0;
  Word<kBytes> *to = output_of<kBytes>(dst, at.p) + j0 * dst.row_step + i0;
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

namespace {

// States the need for bases, leading dimensions and batch strides that are multiples of `vector` bytes.
constexpr void need_vectors(gpuopt_kernel &k, int vector) {
  for (const int operand : {GPUOPT_OPERAND_SRC, GPUOPT_OPERAND_DST}) {
    k.align[operand] = vector;
    k.ld_align[operand] = vector;
  }
}

// A family of kernels, one for each element size: Tile<bytes>::type is the VectorTile.
template <int kBytes, int kVector, int kRows, int kCols, int kThreads, bool kStream>
constexpr auto vector_entry(VectorTile<kBytes, kVector, kRows, kCols, kThreads, kStream>) {
  return transpose_vector_kernel<kBytes, kVector, kRows, kCols, kThreads, kStream>;
}

template <template <int> class Tile, const char *kName>
gpuopt_status launch_vector(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    using T = typename Tile<decltype(bytes)::value>::type;
    return launch_tiles(kName, *problem, launch, problem->m, T::kTileRows, T::kTileCols, dim3(T::kTileThreads),
                        T::kSmem, vector_entry(T{}));
  });
}
template <template <int> class Tile, const char *kName>
gpuopt_status prepare_vector(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    using T = typename Tile<decltype(bytes)::value>::type;
    return load_kernel(launch, kName, vector_entry(T{}), T::kSmem);
  });
}
// A gpuopt_resource, in braces: a function would need a static constructor.
#define GPUOPT_VECTOR_RESOURCE(...) \
  { __VA_ARGS__::kTileThreads, __VA_ARGS__::kSmem, reinterpret_cast<const void *>(vector_entry(__VA_ARGS__{})) }

// The tile of a family for the problem's element size.
struct TileExtent {
  int rows, cols, threads;
};
template <template <int> class Tile>
TileExtent tile_extent(const gpuopt_problem &problem) {
  TileExtent extent = {1, 1, 1};
  with_bytes(problem, [&](auto bytes) {
    using T = typename Tile<decltype(bytes)::value>::type;
    extent = {T::kTileRows, T::kTileCols, T::kTileThreads};
    return GPUOPT_OK;
  });
  return extent;
}

template <template <int> class Tile>
double vector_tiles_us(const gpuopt_problem &problem, const TileCost &cost) {
  const TileExtent tile = tile_extent<Tile>(problem);
  return tiles_us(problem, cost, tile.rows, tile.cols, tile.threads);
}

}  // namespace
}  // namespace gpuopt

#endif
