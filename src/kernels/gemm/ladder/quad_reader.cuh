// Panels of a quad tile through registers, and the product that brings both so.
#pragma once

#include "gemm/ladder/quad_tile.cuh"

namespace gpuopt {

// Reads panels of an operand of type T by 16-byte accesses (4 floats, 8 halves) along whichever direction is
// contiguous, element by element where its lines do not start on multiples of 16 bytes. As PanelReader: load(), then
// store().
template <class T>
class VectorReader {
 public:
  static constexpr int kCount = kQuadTile * kQuadDepth / kQuadThreads;  // elements a thread

  __device__ VectorReader(const View &view, Side side, bool aligned, int64_t p, int64_t first_x) : aligned_(aligned) {
    const int64_t step_x = side == Side::kRowsOfA ? view.row_step : view.col_step;
    const int64_t step_k = side == Side::kRowsOfA ? view.col_step : view.row_step;
    const int t = static_cast<int>(threadIdx.x);
    along_x_ = step_x == 1;
    if (along_x_) {
      const int lanes = aligned ? kQuadTile / kVector : kQuadTile;
      x_ = aligned ? t % lanes * kVector : t % lanes;
      k_ = t / lanes;
      step_ = (aligned ? kAlignedStepK : kStepK) * step_k;
    } else {
      k_ = aligned ? t % 2 * kVector : t % kQuadDepth;
      x_ = aligned ? t / 2 : t / kQuadDepth;
      step_ = aligned ? 2 * kVector * step_k : kStepX * step_x;
    }
    next_ = kQuadDepth * step_k;
    from_ = static_cast<const T *>(view.data) + p * view.batch_step + (first_x + x_) * step_x + k_ * step_k;
  }

  __device__ __forceinline__ void load(int width, int depth, T (&x)[kCount]) {
    const bool whole = width == kQuadTile && depth == kQuadDepth;
    if (aligned_) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        const int k = k_ + (along_x_ ? v * kAlignedStepK : v * 2 * kVector);
        const int left = along_x_ ? (k < depth ? width - x_ : 0) : (x_ < width ? depth - k : 0);
        Pack<T, kVector> pack = {};
        if (whole || left >= kVector) {
          pack = *reinterpret_cast<const Pack<T, kVector> *>(from_ + v * step_);
        } else {
#pragma unroll
          for (int e = 0; e < kVector; ++e) {
            if (e < left) pack.v[e] = from_[v * step_ + e];
          }
        }
#pragma unroll
        for (int e = 0; e < kVector; ++e) x[v * kVector + e] = pack.v[e];
      }
    } else {
#pragma unroll
      for (int e = 0; e < kCount; ++e) {
        const bool inside = along_x_ ? x_ < width && k_ + e * kStepK < depth : x_ + e * kStepX < width && k_ < depth;
        x[e] = inside ? from_[e * step_] : T(0.0f);
      }
    }
    from_ += next_;
  }

  __device__ __forceinline__ void store(const T (&x)[kCount], QuadPanel &panel) const {
    if (aligned_ && along_x_) {
#pragma unroll
      for (int e = 0; e < kCount; e += 4) {
        Pack<float, 4> four;
#pragma unroll
        for (int f = 0; f < 4; ++f) four.v[f] = widen<float>(x[e + f]);
        float *to = &panel[k_ + e / kVector * kAlignedStepK][x_ + e % kVector];
        *reinterpret_cast<Pack<float, 4> *>(to) = four;
      }
    } else if (aligned_) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) panel[k_ + e / kVector * 2 * kVector + e % kVector][x_] = widen<float>(x[e]);
    } else if (along_x_) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) panel[k_ + e * kStepK][x_] = widen<float>(x[e]);
    } else {
#pragma unroll
      for (int e = 0; e < kCount; ++e) panel[k_][x_ + e * kStepX] = widen<float>(x[e]);
    }
  }

 private:
  static constexpr int kVector = 16 / static_cast<int>(sizeof(T)), kVectors = kCount / kVector;
  static constexpr int kAlignedStepK = kQuadThreads * kVector / kQuadTile;
  static constexpr int kStepK = kQuadThreads / kQuadTile, kStepX = kQuadThreads / kQuadDepth;

  const T *from_;        // this thread's first element of the current panel
  int64_t step_, next_;  // to its next vector (or element), to the same place in the next panel
  int x_, k_;
  bool aligned_, along_x_;
};

// The product of operands of type T: panels by 16-byte accesses through registers to shared memory, where they become
// fp32, then to sums.
template <class T, class D>
__device__ __forceinline__ void quad_product(const PlainGemm<D> &gemm, QuadPanel &panel_a, QuadPanel &panel_b) {
  using Reader = VectorReader<T>;
  const QuadThread thread;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kQuadTile, col = tile.col * kQuadTile;
    const int rows = tile_extent(gemm.m, row, kQuadTile), cols = tile_extent(gemm.n, col, kQuadTile);
    Reader a(gemm.a, Side::kRowsOfA, gemm.quads_a, tile.p, row);
    Reader b(gemm.b, Side::kColsOfB, gemm.quads_b, tile.p, col);

    float acc[8][8] = {};
    for (int64_t s = 0; s < gemm.k; s += kQuadDepth) {
      const int depth = tile_extent(gemm.k, s, kQuadDepth);
      T from_a[Reader::kCount], from_b[Reader::kCount];
      a.load(rows, depth, from_a);
      b.load(cols, depth, from_b);
      a.store(from_a, panel_a);
      b.store(from_b, panel_b);
      __syncthreads();
      multiply_quads(panel_a, panel_b, thread, acc);
      __syncthreads();
    }
    store_quads(gemm, tile.p, row, col, thread, acc);
  }
}

}  // namespace gpuopt
