// The main loop of the register-blocked rungs, gemm_regblock.cu, which has the idea, and gemm_spilled.cu: 16 x 16 threads, a
// block of kRows x kCols sums each, bound to kBlocks blocks a multiprocessor.
#pragma once

#include "gemm/common/plain_gemm.cuh"
#include "gemm/ladder/panel.cuh"

namespace gpuopt {

constexpr int kBlockSide = 16, kBlockThreads = kBlockSide * kBlockSide, kBlockDepth = 32;

template <int kRows, int kCols, int kBlocks>
__global__ void __launch_bounds__(kBlockThreads, kBlocks)
    gemm_regblock_kernel(const __grid_constant__ PlainGemm<float> gemm) {
  constexpr int kTileM = kRows * kBlockSide, kTileN = kCols * kBlockSide;
  __shared__ Panel<kTileM, kBlockDepth> panel_a;
  __shared__ Panel<kTileN, kBlockDepth> panel_b;
  const int x = threadIdx.x % kBlockSide, y = threadIdx.x / kBlockSide;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kTileM, col = tile.col * kTileN;
    const int rows = tile_extent(gemm.m, row, kTileM), cols = tile_extent(gemm.n, col, kTileN);
    PanelReader<kTileM, kBlockDepth, kBlockThreads> a(gemm.a, Side::kRowsOfA, tile.p, row);
    PanelReader<kTileN, kBlockDepth, kBlockThreads> b(gemm.b, Side::kColsOfB, tile.p, col);

    float acc[kRows][kCols] = {};
    for (int64_t s = 0; s < gemm.k; s += kBlockDepth) {
      const int depth = tile_extent(gemm.k, s, kBlockDepth);
      a.bring(rows, depth, panel_a);
      b.bring(cols, depth, panel_b);
      __syncthreads();
#pragma unroll 8
      for (int step = 0; step < kBlockDepth; ++step) {
        float left[kRows], right[kCols];
#pragma unroll
        for (int e = 0; e < kRows; ++e) left[e] = panel_a[step][y + e * kBlockSide];
#pragma unroll
        for (int f = 0; f < kCols; ++f) right[f] = panel_b[step][x + f * kBlockSide];
#pragma unroll
        for (int e = 0; e < kRows; ++e) {
#pragma unroll
          for (int f = 0; f < kCols; ++f) acc[e][f] += left[e] * right[f];
        }
      }
      __syncthreads();
    }

    store_apart<kBlockSide, kBlockSide>(gemm, tile, row, col, rows, cols, y, x, acc);
  }
}

}  // namespace gpuopt
