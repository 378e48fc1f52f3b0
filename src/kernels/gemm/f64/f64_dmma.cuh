// What the fp64 tensor-core (DMMA) kernels share: a warp's part of a tile.
//
// A warp multiplies kWM x kWN of the tile in fragments of 16 x 8, reading 16-byte chunks that hold two operands of one
// instruction in the order in which it takes them. That the tensor core counts k, and rows, in another order than
// memory has them is no matter as long as left and right agree on k and the store knows the rows.
#pragma once

#include "gemm/f64/f64_tile.cuh"

namespace gpuopt {

// acc (16 x 8) += a (16 x 8) * b (8 x 8). a: chunks of rows g and g + 8, one for each of this thread's k; b: of column
// g.
__device__ __forceinline__ void dmma_16x8x8(double (&acc)[4], const double2 (&a)[2], const double2 &b) {
#if __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1000
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, "
      "%5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(acc[0]), "+d"(acc[1]), "+d"(acc[2]), "+d"(acc[3])
      : "d"(a[0].x), "d"(a[0].y), "d"(a[1].x), "d"(a[1].y), "d"(b.x), "d"(b.y));
#elif __CUDA_ARCH__ >= 800
  const auto quarter = [](double &c0, double &c1, double x, double y) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, "
        "{%0, %1};"
        : "+d"(c0), "+d"(c1)
        : "d"(x), "d"(y));
  };
  quarter(acc[0], acc[1], a[0].x, b.x);
  quarter(acc[2], acc[3], a[0].y, b.x);
  quarter(acc[0], acc[1], a[1].x, b.y);
  quarter(acc[2], acc[3], a[1].y, b.y);
#else
  (void)acc, (void)a, (void)b;
#endif
}

template <int kBM_, int kBN_, int kWM_, int kWN_, int kStages_, int kBlocksPerSm_, int kLeftBuffers_ = 2>
struct F64DmmaTile {
  static constexpr int kBM = kBM_, kBN = kBN_, kWM = kWM_, kWN = kWN_, kStages = kStages_, kBlocksPerSm = kBlocksPerSm_;
  static constexpr int kLeftBuffers = kLeftBuffers_;
  static constexpr int kParts = 2;                         // steps of the tensor core, 8 deep, in a stage
  static constexpr int kRows = kWM / 16, kCols = kWN / 8;  // fragments of a warp
  static constexpr int kMathThreads = kBM / kWM * (kBN / kWN) * 32;
  static constexpr int kRightBytes = kBM * kF64RowBytes;  // where the right operand begins in a stage
  static constexpr int kStageBytes = (kBM + kBN) * kF64RowBytes;
};

template <class Tile>
class F64DmmaWarp {
 public:
  __device__ __forceinline__ F64DmmaWarp() {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int group = lane / 4, in_group = lane % 4;
    const int warp_m = warp / (Tile::kBN / Tile::kWN) * Tile::kWM, warp_n = warp % (Tile::kBN / Tile::kWN) * Tile::kWN;
    // This thread multiplies k = 2t and 2t + 1 of 8, t = in_group. On the left a chunk of rows 2g and 2g + 1 for each,
    // which it calls rows g and g + 8 of the fragment; on the right a chunk for two of them.
    left_ = warp_m * 8 + f64_place<F64Arrangement::kPairsOfRows, Tile::kBM>(2 * group, 2 * in_group);
    left_1_ = warp_m * 8 + f64_place<F64Arrangement::kPairsOfRows, Tile::kBM>(2 * group, 2 * in_group + 1);
    right_ = Tile::kRightBytes + warp_n * kF64RowBytes +
             f64_place<F64Arrangement::kPairsOfK, Tile::kBN>(group, 2 * in_group);
    row_ = warp_m + group * 2;
    col_ = warp_n + in_group * 2;
  }

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < Tile::kRows; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kCols; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) acc_[i][j][e] = 0;
      }
    }
  }

  // Reads row i of the left fragments of a part of a stage, or column j of the right ones. kLeftBuffers rows and two
  // parts are kept.
  __device__ __forceinline__ void read_left(const char *stage, int part, int i) {
    const char *at = stage + i * 128 + part * 8 * Tile::kBM * 8;  // 8 of k on: 8 lines
    left_of_[i % Tile::kLeftBuffers][0] = *reinterpret_cast<const double2 *>(at + left_);
    left_of_[i % Tile::kLeftBuffers][1] = *reinterpret_cast<const double2 *>(at + left_1_);
  }
  __device__ __forceinline__ void read_right(const char *stage, int part, int j) {
    const int at = (right_ ^ part * 64) + j * 8 * kF64RowBytes;  // 8 of k on: the other half of a line
    right_of_[part % 2][j] = *reinterpret_cast<const double2 *>(stage + at);
  }
  __device__ __forceinline__ void read_right(const char *stage, int part) {
#pragma unroll
    for (int j = 0; j < Tile::kCols; ++j) read_right(stage, part, j);
  }

  __device__ __forceinline__ void multiply(int part, int i) {
#pragma unroll
    for (int j = 0; j < Tile::kCols; ++j) {
      dmma_16x8x8(acc_[i][j], left_of_[i % Tile::kLeftBuffers], right_of_[part % 2][j]);
    }
  }

  // row and col: of the tile in the product that the kernel computes.
  __device__ __forceinline__ void store(const F64Store &d, bool transposed, int64_t row, int64_t col) const {
#pragma unroll
    for (int i = 0; i < Tile::kRows; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kCols; ++j) {
        const int64_t at_row = row + row_ + i * 16, at_col = col + col_ + j * 8;
        const double(&x)[4] = acc_[i][j];
        if (transposed) {
          d.two(at_col, at_row, x[0], x[2]);
          d.two(at_col + 1, at_row, x[1], x[3]);
        } else {
          d.two(at_row, at_col, x[0], x[1]);
          d.two(at_row + 1, at_col, x[2], x[3]);
        }
      }
    }
  }

 private:
  static_assert(Tile::kRows % Tile::kLeftBuffers == 0, "rows take buffers in turn");
  double acc_[Tile::kRows][Tile::kCols][4];
  double2 left_of_[Tile::kLeftBuffers][2], right_of_[2][Tile::kCols];
  int left_, left_1_, right_, row_, col_;
};

// A tile of the product that the kernel computes (D, or D^T), or a range of its k.
struct F64Work {
  int64_t p, row, col, slice, k_begin;
  int depth, steps;

  __device__ __forceinline__ int begin(const F64Gemm &gemm, int64_t index, int rows, int cols) {
    slice = index / gemm.tiles.total;
    const TileSpace::Tile tile = gemm.tiles.tile(index - slice * gemm.tiles.total);
    p = tile.p;
    row = (gemm.transposed ? tile.col : tile.row) * rows;
    col = (gemm.transposed ? tile.row : tile.col) * cols;
    k_begin = slice * gemm.slice_k;
    limit(static_cast<int>(max(min(gemm.slice_k, gemm.k - k_begin), int64_t{0})));
    return steps;
  }
  __device__ __forceinline__ void limit(int k) {
    depth = k;
    steps = (k + kF64Depth - 1) / kF64Depth;
  }
};

}  // namespace gpuopt
