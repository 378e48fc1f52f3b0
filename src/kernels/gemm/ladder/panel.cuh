// Panels: the tiles of A and B that a block keeps in shared memory, k first: panel[k][x], where x is a row of A or a
// column of B. So both operands are loaded by one piece of code, and a step of k reads neighbours of both.
//
// PanelReader brings a panel by 4-byte accesses, first into registers, then to shared memory, so that a kernel
// decides what happens between. Lanes run along whichever of k and x is contiguous in memory: every layout is read
// coalesced, and one of the two is transposed on its way (corner turning). A pitch of kWidth + 32 / kDepth keeps the
// transposed stores free of bank conflicts: lane (k, x) writes to bank k * 32 / kDepth + x.
#pragma once

#include "gemm/common/plain_gemm.cuh"
#include "gemm/ladder/tile.cuh"

namespace gpuopt {

template <int kWidth, int kDepth>
constexpr int kPanelPitch = kWidth + (kDepth < 32 ? 32 / kDepth : 1);
template <int kWidth, int kDepth>
using Panel = float[kDepth][kPanelPitch<kWidth, kDepth>];

template <int kWidth, int kDepth, int kThreads>
class PanelReader {
 public:
  static constexpr int kCount = kWidth * kDepth / kThreads;  // elements a thread
  static_assert(kThreads % kWidth == 0 && kThreads % kDepth == 0, "threads must fill whole lines");

  __device__ PanelReader(const View &view, Side side, int64_t p, int64_t first_x) {
    const int64_t step_x = side == Side::kRowsOfA ? view.row_step : view.col_step;
    const int64_t step_k = side == Side::kRowsOfA ? view.col_step : view.row_step;
    const int t = static_cast<int>(threadIdx.x);
    along_x_ = step_x == 1;
    x_ = along_x_ ? t % kWidth : t / kDepth;
    k_ = along_x_ ? t / kWidth : t % kDepth;
    step_ = along_x_ ? kStepK * step_k : kStepX * step_x;
    next_ = kDepth * step_k;
    from_ = static_cast<const float *>(view.data) + p * view.batch_step + (first_x + x_) * step_x + k_ * step_k;
  }

  // Reads the current panel, of which width x depth exist, into x, zeros around them, and goes on to the next.
  __device__ __forceinline__ void load(int width, int depth, float (&x)[kCount]) {
    int exist = 0;  // of this thread's elements
    if (along_x_ && x_ < width) exist = (depth - k_ + kStepK - 1) / kStepK;
    if (!along_x_ && k_ < depth) exist = (width - x_ + kStepX - 1) / kStepX;
    const float *at = from_;  // a chain of additions: e * step_ would be kept in registers for every e
#pragma unroll
    for (int e = 0; e < kCount; ++e, at += step_) x[e] = e < exist ? *at : 0.0f;
    from_ += next_;
  }

  template <int kPitch>
  __device__ __forceinline__ void store(const float (&x)[kCount], float (&panel)[kDepth][kPitch]) const {
    if (along_x_) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) panel[k_ + e * kStepK][x_] = x[e];
    } else {
#pragma unroll
      for (int e = 0; e < kCount; ++e) panel[k_][x_ + e * kStepX] = x[e];
    }
  }

  // The same to a tile that lies x first, tile[x][k].
  template <int kPitch>
  __device__ __forceinline__ void store_by_rows(const float (&x)[kCount], float (&tile)[kWidth][kPitch]) const {
    if (along_x_) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) tile[x_][k_ + e * kStepK] = x[e];
    } else {
#pragma unroll
      for (int e = 0; e < kCount; ++e) tile[x_ + e * kStepX][k_] = x[e];
    }
  }

  template <int kPitch>
  __device__ __forceinline__ void bring(int width, int depth, float (&panel)[kDepth][kPitch]) {
    float x[kCount];
    load(width, depth, x);
    store(x, panel);
  }

 private:
  static constexpr int kStepK = kThreads / kWidth, kStepX = kThreads / kDepth;

  const float *from_;    // this thread's first element of the current panel
  int64_t step_, next_;  // to its next element, to the same place in the next panel
  int x_, k_;
  bool along_x_;  // lanes run along x, the contiguous direction
};

// Stores a thread's sums of a tile, kRowsApart and kColsApart from each other, of which rows x cols exist.
template <int kRowsApart, int kColsApart, int kRows, int kCols, class D>
__device__ __forceinline__ void store_apart(const PlainGemm<D> &gemm, const TileSpace::Tile &tile, int64_t row,
                                            int64_t col, int rows, int cols, int first_i, int first_j,
                                            const float (&acc)[kRows][kCols]) {
  const auto scalars = gemm.out.scalars();
#pragma unroll
  for (int e = 0; e < kRows; ++e) {
#pragma unroll
    for (int f = 0; f < kCols; ++f) {
      const int i = first_i + e * kRowsApart, j = first_j + f * kColsApart;
      if (i < rows && j < cols) gemm.out.store(scalars, tile.p, row + i, col + j, acc[e][f]);
    }
  }
}

}  // namespace gpuopt
