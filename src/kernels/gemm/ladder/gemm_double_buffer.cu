// gemm_double_buffer_32: gemm_tiled_32 with two copies of its tiles, so that the next is on its way during the
// product.
//
// Idea and data movement: gemm_tiled_32 loads, waits, computes, waits. Here the loads of the next tiles are issued
// into registers before the product of the current ones and written to the other buffer after it: the global latency
// passes while the block computes, and one barrier a tile is left of two. The price is twice the shared memory (17 KB
// a block) and registers for what is on its way; where that costs resident blocks, the other blocks hide less latency
// than the buffer does (on a GPU with 48 KB an SM it costs half of them, and can lose).
//
// Needs: fp32. Counterpart: gemm_tiled_32.
// Prediction: gemm_tiled_32's bound by shared memory, nearer to it: all that is left to hide is latency.
// arch class: teaching

#include "gemm/common/plain_gemm.cuh"
#include "gemm/ladder/figures.h"
#include "gemm/ladder/panel.cuh"

namespace gpuopt {

constexpr int kDoubleTile = 32, kDoubleThreads = 256;
constexpr int kDoubleWarps = kDoubleThreads / 32, kDoubleRows = kDoubleTile / kDoubleWarps;  // rows a thread

__global__ void __launch_bounds__(kDoubleThreads)
    gemm_double_buffer_32_kernel(const __grid_constant__ PlainGemm<float> gemm) {
  using Reader = PanelReader<kDoubleTile, kDoubleTile, kDoubleThreads>;
  __shared__ Panel<kDoubleTile, kDoubleTile> panel_a[2], panel_b[2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kDoubleTile, col = tile.col * kDoubleTile;
    const int rows = tile_extent(gemm.m, row, kDoubleTile), cols = tile_extent(gemm.n, col, kDoubleTile);
    Reader a(gemm.a, Side::kRowsOfA, tile.p, row), b(gemm.b, Side::kColsOfB, tile.p, col);

    if (gemm.k > 0) {
      const int depth = tile_extent(gemm.k, 0, kDoubleTile);
      a.bring(rows, depth, panel_a[0]);
      b.bring(cols, depth, panel_b[0]);
    }
    __syncthreads();

    float acc[kDoubleRows][1] = {};
    int now = 0;
    for (int64_t s = 0; s < gemm.k; s += kDoubleTile) {
      float next_a[Reader::kCount], next_b[Reader::kCount];
      const int depth = tile_extent(gemm.k, s + kDoubleTile, kDoubleTile);  // of the next tiles; 0 or less: none
      if (depth > 0) {
        a.load(rows, depth, next_a);
        b.load(cols, depth, next_b);
      }
#pragma unroll 8
      for (int step = 0; step < kDoubleTile; ++step) {
        const float right = panel_b[now][step][lane];
#pragma unroll
        for (int e = 0; e < kDoubleRows; ++e) acc[e][0] += panel_a[now][step][warp + e * kDoubleWarps] * right;
      }
      now ^= 1;
      if (depth > 0) {  // this buffer's readers passed the barrier before the product just done
        a.store(next_a, panel_a[now]);
        b.store(next_b, panel_b[now]);
      }
      __syncthreads();
    }

    store_apart<kDoubleWarps, 32>(gemm, tile, row, col, rows, cols, warp, lane, acc);
  }
}

namespace {

struct DoubleBuffer {
  static constexpr const char *kName = "gemm_double_buffer_32";
  static constexpr const char *kSummary = "gemm_tiled_32 with the next tiles on their way during the product";
  static constexpr int kTileM = kDoubleTile, kTileN = kDoubleTile, kStripe = 8;
  static constexpr int kThreads = kDoubleThreads, kDynamicSmem = 0;
  static SimtGemmSpeed speed() { return GPUOPT_LADDER_SPEED(double_buffer, 5); }
  static constexpr auto kKernel = gemm_double_buffer_32_kernel;
};

constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<DoubleBuffer>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
