// gemm_coarsened_2, gemm_coarsened_4: gemm_tiled_32 with the work of 2 (4) neighbouring tiles of a row in one block.
//
// Idea and data movement: in gemm_tiled_32 every block of a row of tiles brings the same tile of A, and every thread
// reads the same elements of it from shared memory. Here a thread computes its elements of F neighbouring tiles: A's
// tile is brought once for all of them, and a step of k reads 4 elements of A and F of B for 4 F multiply-adds: 5
// reads for 4 without coarsening, 6 for 8, 8 for 16. Shared memory serves a warp's read a clock while the FMA units
// could do four warps' worth, so the bound rises from 20 % of the peak to 33 % and 50 %. The price is 1/F of the
// blocks: F = 4 leaves 1024 x 1024 with 256 blocks for 132 SMs.
//
// Needs: fp32. Counterpart: gemm_tiled_32.
// Prediction: the bounds by shared memory above, less what barriers and latency cost.
// arch class: teaching

#include "gemm/common/plain_gemm.cuh"
#include "gemm/ladder/figures.h"
#include "gemm/ladder/panel.cuh"

namespace gpuopt {

constexpr int kCoarseTile = 32, kCoarseThreads = 256;
constexpr int kCoarseWarps = kCoarseThreads / 32, kCoarseRows = kCoarseTile / kCoarseWarps;  // rows a thread

template <int kFactor>
__global__ void __launch_bounds__(kCoarseThreads, kFactor == 2 ? 4 : 3)
    gemm_coarsened_kernel(const __grid_constant__ PlainGemm<float> gemm) {
  constexpr int kTileN = kFactor * kCoarseTile;
  __shared__ Panel<kCoarseTile, kCoarseTile> panel_a;
  __shared__ Panel<kTileN, kCoarseTile> panel_b;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kCoarseTile, col = tile.col * kTileN;
    const int rows = tile_extent(gemm.m, row, kCoarseTile), cols = tile_extent(gemm.n, col, kTileN);
    PanelReader<kCoarseTile, kCoarseTile, kCoarseThreads> a(gemm.a, Side::kRowsOfA, tile.p, row);
    PanelReader<kTileN, kCoarseTile, kCoarseThreads> b(gemm.b, Side::kColsOfB, tile.p, col);

    float acc[kCoarseRows][kFactor] = {};
    for (int64_t s = 0; s < gemm.k; s += kCoarseTile) {
      const int depth = tile_extent(gemm.k, s, kCoarseTile);
      a.bring(rows, depth, panel_a);
      b.bring(cols, depth, panel_b);
      __syncthreads();
#pragma unroll
      for (int step = 0; step < kCoarseTile; ++step) {
        float right[kFactor];
#pragma unroll
        for (int f = 0; f < kFactor; ++f) right[f] = panel_b[step][lane + f * kCoarseTile];
#pragma unroll
        for (int e = 0; e < kCoarseRows; ++e) {
          const float left = panel_a[step][warp + e * kCoarseWarps];
#pragma unroll
          for (int f = 0; f < kFactor; ++f) acc[e][f] += left * right[f];
        }
      }
      __syncthreads();
    }

    store_apart<kCoarseWarps, kCoarseTile>(gemm, tile, row, col, rows, cols, warp, lane, acc);
  }
}

namespace {

template <int kFactor>
struct Coarsened {
  static constexpr const char *kName = kFactor == 2 ? "gemm_coarsened_2" : "gemm_coarsened_4";
  static constexpr const char *kSummary = kFactor == 2 ? "a block computes 2 neighbouring tiles with one tile of A"
                                                       : "a block computes 4 neighbouring tiles with one tile of A";
  static constexpr int kTileM = kCoarseTile, kTileN = kFactor * kCoarseTile, kStripe = 8;
  static constexpr int kThreads = kCoarseThreads, kDynamicSmem = 0;
  static SimtGemmSpeed speed() {
    return kFactor == 2 ? GPUOPT_LADDER_SPEED(coarsened_2, 4) : GPUOPT_LADDER_SPEED(coarsened_4, 3);
  }
  static constexpr auto kKernel = gemm_coarsened_kernel<kFactor>;
};

constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<Coarsened<2>>(), plain_gemm_kernel<Coarsened<4>>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
