// What the fp64 gemm kernels share: parameters, the loads of tiles into shared memory, and the store of D.
//
// Shared memory. A stage is 16 elements of k of all rows of the tile (of the right operand: of all columns, which take
// the part of rows below), in 16-byte chunks of what one thread multiplies next. Two arrangements, both without bank
// conflicts in writing and reading:
//   kPairsOfK     a line of 128 bytes a row: chunk c holds k = 2c and 2c + 1, at place c ^ swizzle of the row;
//   kPairsOfRows  a line for each k: chunk c holds rows 2c and 2c + 1, at place c ^ (k % 8).
// An aligned operand that lies in memory the way of its arrangement is copied in 16-byte chunks, which pass by L1; any
// other one element at a time. So one code serves every layout, base and leading dimension.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "common/index.cuh"
#include "gemm/common/add_c.cuh"
#include "gemm/common/gemm_finish.h"
#include "gemm/common/tile_space.cuh"

namespace gpuopt {

constexpr int kF64Depth = 16;                                               // of k in a stage
constexpr int kF64RowBytes = kF64Depth * static_cast<int>(sizeof(double));  // of a row in shared memory

enum class F64Arrangement { kPairsOfK, kPairsOfRows };

// Distinct for 8 neighbouring rows, and bit 2 for two.
__host__ __device__ constexpr int f64_swizzle(int row) { return (row & 1) << 2 | (row >> 1 & 3); }

// Where element (row, k) of a stage of kRows rows lies, in bytes.
template <F64Arrangement kArrangement, int kRows>
__host__ __device__ constexpr int f64_place(int row, int k) {
  if (kArrangement == F64Arrangement::kPairsOfK) {
    return row * kF64RowBytes + ((k >> 1) ^ f64_swizzle(row)) * 16 + (k & 1) * 8;
  }
  return k * kRows * 8 + ((row >> 1) ^ (k & 7)) * 16 + (row & 1) * 8;
}

// An operand by steps in elements: rows of A or columns of B, and k.
struct F64Operand {
  const double *data;
  int64_t extent;  // of rows
  int64_t batch_step, row_step, k_step;
  bool aligned;  // to 16 bytes: base, leading dimension and batch stride
};

struct F64Gemm {
  int64_t m, n, k, batch;
  F64Operand left, right;  // A and B; transposed: B and A
  bool transposed;
  double *d;
  int64_t d_batch_step, d_row_step;
  const double *c;  // nullptr: never read
  int64_t c_batch_step, c_row_step;
  double alpha, beta;
  const double *alpha_ptr, *beta_ptr;
  bool pairs;        // neighbours in D (and C) may be moved two at a time
  double *partials;  // not nullptr: plain sums go here, in slices
  int64_t slices, slice_k;
  TileSpace tiles;  // of D
  // Of a persistent kernel: so many tiles are computed whole, the others are cut among so many blocks (0: none is).
  int64_t whole;
  int32_t tail_blocks;
  double *tail;
};

// kBytes to shared memory, of which only existing bytes are read; the others are zero.
template <int kBytes>
__device__ __forceinline__ void copy_f64_async(uint32_t to, const double *from, int existing) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kBytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(existing) : "memory");
  } else {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(existing) : "memory");
  }
#else
#pragma unroll
  for (int e = 0; e < kBytes / 8; ++e) {
    const double x = e * 8 < existing ? from[e] : 0.0;
    asm volatile("st.shared.f64 [%0], %1;" ::"r"(to + e * 8), "d"(x) : "memory");
  }
#endif
}

// This thread's part in copying stages of kRows rows. Elements: 256 strands share the work, each one k of every 16th
// row; a block of 128 threads gives each two strands. Chunks: a strand a thread.
template <F64Arrangement kArrangement, int kRows, int kThreads>
class F64Loader {
 public:
  static_assert(kRows % 32 == 0 && (kThreads == 128 || kThreads == 256));

  __device__ __forceinline__ F64Loader(const F64Operand &x, int64_t p, int64_t first_row, int64_t k_begin)
      : row_step_(x.row_step * 16), k_step_(x.k_step * kF64Depth) {
    constexpr bool kByK = kArrangement == F64Arrangement::kPairsOfK;
    const bool contiguous_k = x.row_step != 1;
    chunks_ = x.aligned && contiguous_k == kByK;
#pragma unroll
    for (int s = 0; s < kStrands; ++s) {
      const int t = static_cast<int>(threadIdx.x) % kThreads + s * kThreads;
      int row, k;
      if (chunks_) {
        row = kByK ? t >> 3 : (t & 7) * 2 + (t >> 7) * 16;
        k = kByK ? (t & 7) * 2 : t >> 3 & 15;
      } else if (contiguous_k) {
        row = kByK ? t >> 4 : (t >> 5) * 2 + (t >> 3 & 1);
        k = kByK ? t & 15 : (t & 7) | (t >> 1 & 8);
      } else {
        row = kByK ? (t & 7) | (t >> 1 & 8) : t & 15;
        k = kByK ? (t >> 3 & 1) | (t >> 5 << 1) : t >> 4;
      }
      place_[s] = static_cast<uint32_t>(f64_place<kArrangement, kRows>(row, k));
      left_[s] = static_cast<int>(min(x.extent - first_row - row, int64_t{kRows}));
      k_[s] = k;
      from_[s] = x.data + p * x.batch_step + (first_row + row) * x.row_step + (k_begin + k) * x.k_step;
    }
  }

  // Copies the next stage, of which k_left elements of k exist, to the shared address.
  __device__ __forceinline__ void copy(uint32_t stage, int k_left) {
    if (chunks_) {
      const int existing_k = min(max(k_left - k_[0], 0), 2);
      const double *from = from_[0];
#pragma unroll
      for (int e = 0; e < kChunks; ++e) {
        int existing;
        if constexpr (kArrangement == F64Arrangement::kPairsOfK) {
          existing = e * kChunkRows < left_[0] ? existing_k : 0;
        } else {
          existing = existing_k > 0 ? min(max(left_[0] - e * kChunkRows, 0), 2) : 0;
        }
        copy_f64_async<16>(stage + place_[0] + e * (kChunkRows / 16) * kRow16, from, existing * 8);
        from += row_step_ * (kChunkRows / 16);
      }
      from_[0] += k_step_;
    } else {
#pragma unroll
      for (int s = 0; s < kStrands; ++s) {
        const int left = k_[s] < k_left ? left_[s] : 0;
        const double *from = from_[s];
#pragma unroll
        for (int e = 0; e < kRows / 16; ++e) {
          copy_f64_async<8>(stage + place_[s] + e * kRow16, from, e * 16 < left ? 8 : 0);
          from += row_step_;
        }
        from_[s] += k_step_;
      }
    }
  }

 private:
  static constexpr int kStrands = 256 / kThreads;
  static constexpr int kChunkRows = kThreads / 8, kChunks = kRows / kChunkRows;
  static constexpr int kRow16 = kArrangement == F64Arrangement::kPairsOfK ? 16 * kF64RowBytes : 128;  // 16 rows on
  const double *from_[kStrands];
  int64_t row_step_, k_step_;
  uint32_t place_[kStrands];
  int k_[kStrands], left_[kStrands];
  bool chunks_;
};

// Writes elements of matrix p of D, or of a slice of partial sums.
class F64Store {
 public:
  __device__ __forceinline__ F64Store(const F64Gemm &gemm, int64_t p, int64_t slice)
      : c_(gemm.c), m_(gemm.m), n_(gemm.n), c_row_step_(gemm.c_row_step) {
    if (gemm.partials != nullptr) {
      d_ = gemm.partials + (slice * gemm.batch + p) * gemm.m * gemm.n;
      row_step_ = gemm.n;
      pairs_ = gemm.n % 2 == 0;
      return;
    }
    d_ = gemm.d + p * gemm.d_batch_step;
    row_step_ = gemm.d_row_step;
    pairs_ = gemm.pairs;
    alpha_ = gemm.alpha_ptr != nullptr ? *gemm.alpha_ptr : gemm.alpha;
    if (gemm.k == 0) alpha_ = 0;  // of an empty sum even an infinite alpha makes 0
    if (c_ != nullptr) {
      c_ += p * gemm.c_batch_step;
      beta_ = gemm.beta_ptr != nullptr ? *gemm.beta_ptr : gemm.beta;
    }
  }

  // A dense rows x cols array of plain sums.
  __device__ __forceinline__ F64Store(double *d, int64_t rows, int64_t cols)
      : d_(d), c_(nullptr), m_(rows), n_(cols), row_step_(cols), c_row_step_(0), pairs_(true) {}

  __device__ __forceinline__ void one(int64_t i, int64_t j, double x) const {
    if (i >= m_ || j >= n_) return;
    x *= alpha_;
    if (beta_ != 0) x = add_c(x, beta_, c_[i * c_row_step_ + j]);
    d_[i * row_step_ + j] = x;
  }

  // (i, j) and (i, j + 1), j even.
  __device__ __forceinline__ void two(int64_t i, int64_t j, double x, double y) const {
    if (!pairs_ || j + 1 >= n_) {
      one(i, j, x);
      one(i, j + 1, y);
      return;
    }
    if (i >= m_) return;
    double2 z = {x * alpha_, y * alpha_};
    if (beta_ != 0) {
      const double2 c = *reinterpret_cast<const double2 *>(c_ + i * c_row_step_ + j);
      z.x = add_c(z.x, beta_, c.x);
      z.y = add_c(z.y, beta_, c.y);
    }
    *reinterpret_cast<double2 *>(d_ + i * row_step_ + j) = z;
  }

 private:
  double *d_;
  const double *c_;
  int64_t m_, n_, row_step_, c_row_step_;
  double alpha_ = 1, beta_ = 0;
  bool pairs_;
};

}  // namespace gpuopt
