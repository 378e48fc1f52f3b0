// Units of 16 rows of a tile for the fp64 tensor core (DMMA): how they lie in shared memory, how they are read and
// multiplied, and how sums go to D.
//
// A unit is 16 rows of the left operand, or 16 columns of the right one (which take the part of rows below), by 16 of
// k: 2 KB, as the 128-byte swizzle of the tensor memory accelerator writes them: the 16-byte chunk c of line l lies
// at c ^ l % 8.
//   by k     k is contiguous in memory: a line is a row, chunk c holds its k = 2c and 2c + 1;
//   by rows  rows are: a line is one of k, chunk c holds rows 2c and 2c + 1.
// An instruction, 16 x 8 of D by 16 of k, gives a thread rows g and g + 8 of the left operand and column g of the
// right one, g = lane / 4, and four of k, its slots. Which row, column or k of the unit those are is free, while left
// and right agree on k and the store knows the rest; here it is chosen so that values arrive in the registers where
// the instruction takes them, and without bank conflicts:
//   mixed    left by rows, right by k: chunks of two rows and of two k, all in 16-byte reads;
//   by k     both: rows g and g + 8 are no neighbours, so 8 bytes a read; odd lanes take the k of a chunk in reverse;
//   by rows  both: the left in 16-byte reads; of the right, odd g take the two columns of a chunk in reverse.
#pragma once

#include "gemm/f64/f64_tile.cuh"

namespace gpuopt {

constexpr int kF64UnitBytes = 16 * kF64RowBytes;

// A tile, or a piece of one, as the asking warp tells the multiplying ones: steps of k (0: there is no more), where D's
// tile begins, and the slot of scratch that takes the sums (-1: it is a whole tile).
struct __align__(16) F64TmaWork {
  int steps, row, col, p, slice, slot, unused[2];
};

enum class F64Lie { kMixed, kByK, kByRows };
constexpr bool f64_left_by_rows(F64Lie lie) { return lie != F64Lie::kByK; }
constexpr bool f64_right_by_rows(F64Lie lie) { return lie == F64Lie::kByRows; }

template <F64Lie kLie>
class F64UnitReader {
 public:
  // Where the warp's units begin in a stage, in bytes.
  __device__ __forceinline__ F64UnitReader(int lane, int left, int right) {
    const int g = lane / 4, t = lane % 4;
    if (kLie == F64Lie::kMixed) {
      const int c = (t & 1) * 5 + (t & 2);  // 0, 5, 2, 7
      left_ = left + 2 * c * 128 + ((g ^ (2 * c & 7)) << 4);
      right_ = right + g * 128 + ((c ^ g) << 4);
    } else if (kLie == F64Lie::kByK) {
      const int c = (t & 1) + (t & 2) * 2;  // 0, 1, 4, 5
      const int at = g * 128 + ((c ^ g) << 4) + (t & 1) * 8;
      left_ = left + at;
      right_ = right + at;
    } else {
      const int k = (t & 2) * 2 + (t & 1) * 3;  // 0, 3, 4, 7
      const int at = k * 128 + ((g ^ k) << 4);
      left_ = left + at;
      right_ = right + at + (g & 1) * 8;
    }
  }

  // a: slot by slot, rows g and g + 8.
  __device__ __forceinline__ void read_left(const char *stage, int unit, double (&a)[8]) const {
    const char *from = stage + unit * kF64UnitBytes;
#pragma unroll
    for (int slot = 0; slot < 4; ++slot) {
      const int part = slot / 2, f = slot % 2;
      if (kLie == F64Lie::kByK) {
        const int at = left_ ^ part * 32 ^ f * 8;
        a[2 * slot] = *reinterpret_cast<const double *>(from + at);
        a[2 * slot + 1] = *reinterpret_cast<const double *>(from + at + 1024);
      } else {
        const int at = kLie == F64Lie::kMixed ? left_ ^ part * (256 + 32) ^ f * (128 + 16)
                                              : (left_ ^ f * (128 + 16)) + part * 1024;
        const double2 x = *reinterpret_cast<const double2 *>(from + at);
        a[2 * slot] = x.x;
        a[2 * slot + 1] = x.y;
      }
    }
  }
  // b: of each half of the unit's columns, slot by slot.
  __device__ __forceinline__ void read_right(const char *stage, int unit, double (&b)[2][4]) const {
    const char *from = stage + unit * kF64UnitBytes;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
      for (int part = 0; part < 2; ++part) {
        if (kLie == F64Lie::kMixed) {
          const double2 x = *reinterpret_cast<const double2 *>(from + (right_ ^ part * 16) + h * 1024);
          b[h][2 * part] = x.x;
          b[h][2 * part + 1] = x.y;
        } else {
#pragma unroll
          for (int f = 0; f < 2; ++f) {
            const int at = kLie == F64Lie::kByK ? (right_ ^ part * 32 ^ f * 8) + h * 1024
                                                : (right_ ^ f * (128 + 16) ^ h * 8) + part * 1024;
            b[h][2 * part + f] = *reinterpret_cast<const double *>(from + at);
          }
        }
      }
    }
  }

 private:
  int left_, right_;
};

// acc (16 x 8) += a (16 x 16) * b (16 x 8).
__device__ __forceinline__ void dmma_16x8x16(double (&acc)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1000
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, "
      "%13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(acc[0]), "+d"(acc[1]), "+d"(acc[2]), "+d"(acc[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
#else
  (void)acc, (void)a, (void)b;
#endif
}

// Where a warp's sums go: D, a slice of partial sums, or a slot of the pieces of tiles.
struct F64Target {
  double *d;  // of the tile's first element
  const double *c;
  int64_t row_step, c_row_step, rows, cols;  // rows and columns that exist from there on
  double alpha, beta;
  bool pairs;

  __device__ __forceinline__ F64Target(const F64Gemm &gemm, const F64TmaWork &work, int side)
      : c(nullptr), alpha(1), beta(0) {
    if (work.slot >= 0) {
      d = gemm.tail + int64_t{work.slot} * side * side;
      row_step = rows = cols = side;
      pairs = true;
      return;
    }
    rows = gemm.m - work.row;
    cols = gemm.n - work.col;
    if (gemm.partials != nullptr) {
      d = gemm.partials + ((work.slice * gemm.batch + work.p) * gemm.m + work.row) * gemm.n + work.col;
      row_step = gemm.n;
      pairs = gemm.n % 2 == 0;
      return;
    }
    d = gemm.d + work.p * gemm.d_batch_step + work.row * gemm.d_row_step + work.col;
    row_step = gemm.d_row_step;
    pairs = gemm.pairs;
    alpha = gemm.alpha_ptr != nullptr ? *gemm.alpha_ptr : gemm.alpha;
    if (gemm.c != nullptr) beta = gemm.beta_ptr != nullptr ? *gemm.beta_ptr : gemm.beta;
    if (beta != 0) {
      c = gemm.c + work.p * gemm.c_batch_step + work.row * gemm.c_row_step + work.col;
      c_row_step = gemm.c_row_step;
    }
  }
  __device__ __forceinline__ bool whole(int side) const {
    return pairs && c == nullptr && rows >= side && cols >= side;
  }
  __device__ __forceinline__ void one(int i, int j, double x) const {
    if (i >= rows || j >= cols) return;
    x *= alpha;
    if (c != nullptr) x += beta * c[i * c_row_step + j];
    d[i * row_step + j] = x;
  }
};

// Calls store(q, row, col, x, y) for the pairs of neighbours x, y in D that a thread holds: row and col begin at this
// thread's first, and q counts rows.
template <F64Lie kLie, bool kTransposed, int kRows, int kCols, class Store>
__device__ __forceinline__ void for_each_f64_pair(const double (&acc)[kRows][kCols][4], Store &&store) {
  static_assert(!kTransposed || kLie == F64Lie::kMixed, "two rows are neighbours");
  if constexpr (kTransposed) {
#pragma unroll
    for (int j = 0; j < kCols; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
#pragma unroll
        for (int i = 0; i < kRows; ++i) store(j * 8 + e, i * 16, acc[i][j][e], acc[i][j][e + 2]);
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int row = i * 16 + h * (f64_left_by_rows(kLie) ? 1 : 8);
#pragma unroll
        for (int j = 0; j < kCols; ++j) {
          if constexpr (f64_right_by_rows(kLie)) {
            const int u = j / 2 * 2, e = j % 2;
            store(row, u * 8 + e * 2, acc[i][u + e][2 * h + e], acc[i][u + 1 - e][2 * h + e]);
          } else {
            store(row, j * 8, acc[i][j][2 * h], acc[i][j][2 * h + 1]);
          }
        }
      }
    }
  }
}

template <class Tile, F64Lie kLie, bool kTransposed>
__device__ __forceinline__ void store_f64_units(const F64Gemm &gemm, const F64TmaWork &work, int warp_m, int warp_n,
                                                const double (&acc)[Tile::kRows][Tile::kCols * 2][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  const int left = warp_m + (f64_left_by_rows(kLie) ? 2 * g : g);
  const int right = warp_n + (f64_right_by_rows(kLie) ? 4 * t : 2 * t);
  const int row = kTransposed ? right : left, col = kTransposed ? left : right;
  const F64Target to(gemm, work, Tile::kBM);
  if (to.whole(Tile::kBM)) {
    double *const from = to.d + row * to.row_step + col;
    for_each_f64_pair<kLie, kTransposed>(acc, [&](int i, int j, double x, double y) {
      *reinterpret_cast<double2 *>(from + i * to.row_step + j) = {x * to.alpha, y * to.alpha};
    });
  } else {
    for_each_f64_pair<kLie, kTransposed>(acc, [&](int i, int j, double x, double y) {
      to.one(row + i, col + j, x);
      to.one(row + i, col + j + 1, y);
    });
  }
}

}  // namespace gpuopt
