// Where element (p, i, j) of an operand lies, and which part of the work is whose: the index arithmetic that
// kernels share. Offsets are 64-bit throughout, so kernels built on it understand GPUOPT_FEATURE_LARGE; a
// layout is only a choice of steps, so they read any. Everything compiles for the host too, where the tests
// check it.
#ifndef GPUOPT_KERNELS_COMMON_INDEX_CUH
#define GPUOPT_KERNELS_COMMON_INDEX_CUH

#include <cstdint>

#include "gpuopt/kernel.h"

namespace gpuopt {

__host__ __device__ constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// An operand by its steps, in elements. A vector along the rows has col_step 0, one along the columns
// row_step 0.
struct View {
  void *data;
  int64_t batch_step, row_step, col_step;
  int32_t dtype;  // 0: absent

  __host__ __device__ int64_t offset(int64_t p, int64_t i, int64_t j) const {
    return p * batch_step + i * row_step + j * col_step;
  }
};

inline View matrix_view(const gpuopt_operand &operand) {
  const gpuopt_matrix &m = operand.m;
  const bool row_major = m.layout == GPUOPT_ROW;
  return {m.data, m.batch_stride, row_major ? m.ld : 1, row_major ? 1 : m.ld, m.dtype};
}
// v(i) for (i, j), and v(j): the normal form keeps such a vector's element e at e * ld.
inline View per_row_view(const gpuopt_operand &v) { return {v.m.data, v.m.batch_stride, v.m.ld, 0, v.m.dtype}; }
inline View per_col_view(const gpuopt_operand &v) { return {v.m.data, v.m.batch_stride, 0, v.m.ld, v.m.dtype}; }

// Division of 0 <= n by a run-time constant d > 0: a multiplication and a shift while n stays below 2^31,
// which the caller promises by passing the greatest n. (With l = ceil(log2 d) and magic = floor(2^(31+l) / d)
// + 1, n * magic >> (31 + l) is exact for n < 2^31: Granlund and Montgomery 1994.)
class Divider {
 public:
  Divider() = default;
  __host__ __device__ Divider(int64_t d, int64_t greatest_n) : d_(d) {
    if (d <= 0 || d >= (int64_t{1} << 31) || greatest_n >= (int64_t{1} << 31)) return;
    while ((int64_t{1} << log2_) < d) ++log2_;
    magic_ = static_cast<uint32_t>((uint64_t{1} << (31 + log2_)) / static_cast<uint64_t>(d) + 1);
    shift_ = 31 + log2_;
  }
  __host__ __device__ int64_t divide(int64_t n) const {
    if (shift_ == 0) return static_cast<int64_t>(static_cast<uint64_t>(n) / static_cast<uint64_t>(d_));
    return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(n)) * magic_ >> shift_);
  }
  __host__ __device__ int64_t divide(int64_t n, int64_t &remainder) const {
    const int64_t quotient = divide(n);
    remainder = n - quotient * d_;
    return quotient;
  }

 private:
  int64_t d_ = 1;
  uint32_t magic_ = 0;
  int32_t log2_ = 0;
  int32_t shift_ = 0;  // 0: plain 64-bit division
};

// A batch of m x n matrices cut into tiles, numbered along a one-dimensional grid: grid.y and grid.z end at
// 65535, grid.x at 2^31 - 1. Blocks walk on by the grid's size, so any count is covered. The tiles of a
// stripe of stripe_rows tile rows follow each other column by column, so that blocks running together share
// what they read.
struct TileSpace {
  int64_t tiles_m, tiles_n, total;
  int32_t stripe_rows;

  struct Tile {
    int64_t p, row, col;  // matrix of the batch, tile row, tile column
  };

  __host__ __device__ TileSpace(int64_t m, int64_t n, int64_t batch, int64_t tile_m, int64_t tile_n,
                                int32_t rows_of_stripe = 1)
      : tiles_m(ceil_div(m, tile_m)),
        tiles_n(ceil_div(n, tile_n)),
        total(tiles_m * tiles_n * batch),
        stripe_rows(rows_of_stripe) {}

  uint32_t blocks() const { return static_cast<uint32_t>(total < 0x7fffffff ? total : 0x7fffffff); }

  __host__ __device__ Tile tile(int64_t index) const {
    const int64_t per_matrix = tiles_m * tiles_n;
    const int64_t p = index / per_matrix;
    index -= p * per_matrix;
    const int64_t per_stripe = stripe_rows * tiles_n;
    const int64_t first_row = index / per_stripe * stripe_rows;
    index %= per_stripe;
    const int64_t rows = tiles_m - first_row < stripe_rows ? tiles_m - first_row : stripe_rows;
    return {p, first_row + index % rows, index / rows};
  }
};

}  // namespace gpuopt

#endif
