// The 128 x 128 tile whose threads read shared memory by quads: 16 bytes, four neighbours of a panel's row, an access.
//
// 256 threads, 8 x 8 sums each: rows 4 y + {0, 1, 2, 3} and 64 more, columns 4 x + {0, 1, 2, 3} and 64 more. So a step
// of k costs four accesses instead of sixteen. The halves lie 64 apart and not side by side, because the lanes' quads
// are then contiguous and meet no bank twice. A warp is 4 x 8 threads and its lanes pair up (two rows of threads
// alternate). An access of 16 bytes a lane takes two turns of shared memory however many lanes share their
// words, so other lane orders differ by what the compiler makes of them.
#pragma once

#include "common/element.cuh"
#include "gemm/common/plain_gemm.cuh"
#include "gemm/ladder/tile.cuh"

namespace gpuopt {

constexpr int kQuadTile = 128, kQuadThreads = 256, kQuadDepth = 16;
// 4 words past 128 shift the banks by 4 a step of k: quads stay aligned, and stores down a column mostly free of
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

}  // namespace gpuopt
