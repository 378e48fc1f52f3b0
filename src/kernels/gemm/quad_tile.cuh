// The 128 x 128 tile whose threads read shared memory by quads: 16 bytes, four neighbours of a panel's row, an access.
//
// 256 threads, 8 x 8 sums each: rows 4 y + {0, 1, 2, 3} and 64 more, columns 4 x + {0, 1, 2, 3} and 64 more. So a step
// of k costs four accesses instead of sixteen. The halves lie 64 apart and not side by side, because the lanes' quads
// are then contiguous and meet no bank twice. A warp is 4 x 8 threads and its lanes pair up (two rows of threads
// alternate). An access of 16 bytes a lane takes two turns of shared memory however many lanes share their words
// (measured), so other lane orders differ by what the compiler makes of them, 1 or 2 % either way.
#ifndef GPUOPT_KERNELS_GEMM_QUAD_TILE_CUH
#define GPUOPT_KERNELS_GEMM_QUAD_TILE_CUH

#include "common/element.cuh"
#include "gemm/panel.cuh"
#include "gemm/plain_gemm.cuh"

namespace gpuopt {

constexpr int kQuadTile = 128, kQuadThreads = 256, kQuadDepth = 16;
// 4 words past 128 turn the banks by 4 a step of k: quads stay aligned, and stores down a column mostly free of
// conflicts.
constexpr int kQuadPitch = kQuadTile + 4;
using QuadPanel = float[kQuadDepth][kQuadPitch];

struct QuadThread {
  int x, y;  // of 16 x 16

  __device__ QuadThread() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    x = warp % 2 * 8 + lane / 2 % 8;
    y = warp / 2 * 4 + lane / 16 * 2 + lane % 2;
  }
};

__device__ __forceinline__ void load_quads(const float *line, int quad, float (&x)[8]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const auto four = *reinterpret_cast<const Pack<float, 4> *>(line + half * 64 + quad * 4);
#pragma unroll
    for (int e = 0; e < 4; ++e) x[half * 4 + e] = four.v[e];
  }
}

// acc += the product of one pair of panels.
__device__ __forceinline__ void multiply_quads(const QuadPanel &a, const QuadPanel &b, const QuadThread &thread,
                                               float (&acc)[8][8]) {
#pragma unroll
  for (int step = 0; step < kQuadDepth; ++step) {
    float left[8], right[8];
    load_quads(a[step], thread.y, left);
    load_quads(b[step], thread.x, right);
#pragma unroll
    for (int e = 0; e < 8; ++e) {
#pragma unroll
      for (int f = 0; f < 8; ++f) acc[e][f] += left[e] * right[f];
    }
  }
}

template <class D>
__device__ __forceinline__ void store_quads(const PlainGemm<D> &gemm, int64_t p, int64_t row, int64_t col,
                                            const QuadThread &thread, const float (&acc)[8][8]) {
  const auto scalars = gemm.out.scalars();
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const int64_t i = row + e / 4 * 64 + thread.y * 4 + e % 4;
    if (i >= gemm.m) continue;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float four[4];
#pragma unroll
      for (int f = 0; f < 4; ++f) four[f] = acc[e][half * 4 + f];
      gemm.out.store_quad(scalars, p, i, col + half * 64 + thread.x * 4, gemm.n, four);
    }
  }
}

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

}  // namespace gpuopt

#endif
