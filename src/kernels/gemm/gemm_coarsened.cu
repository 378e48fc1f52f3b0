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
// Recorded (H200, 2026-11-21, single call, cold), nn: gemm_coarsened_2 138 us, 7.95 ms, 62.6 ms for 1024, 4096, 8192
// cubed; 17.3 TFLOP/s at 4096, 0.34 of the best peer, 26 % of the fp32 peak; gemm_coarsened_4 99.9 us, 5.63 ms, 43.9
// ms; 24.4 TFLOP/s at 4096, 0.48 of the best peer, 37 % of the fp32 peak. Both are at their bound: shared memory's data
// pipe was 92 % and 87 % busy (ncu, one run, 2048 cubed, not in a record).
// arch class: teaching

#include "gemm/panel.cuh"
#include "gemm/plain_gemm.cuh"

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

    const auto scalars = gemm.out.scalars();
#pragma unroll
    for (int e = 0; e < kCoarseRows; ++e) {
#pragma unroll
      for (int f = 0; f < kFactor; ++f) {
        const int i = warp + e * kCoarseWarps, j = lane + f * kCoarseTile;
        if (i < rows && j < cols) gemm.out.store(scalars, tile.p, row + i, col + j, acc[e][f]);
      }
    }
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
  static constexpr SimtGemmSpeed kSpeed = {kTileM, kTileN, kFactor == 2 ? 4 : 3, kFactor == 2 ? 68.0 : 92.0, 190.0};
  static auto kernel() { return gemm_coarsened_kernel<kFactor>; }
};

gpuopt_resource kResources2[] = {{kCoarseThreads, 0, reinterpret_cast<const void *>(gemm_coarsened_kernel<2>)}};
gpuopt_resource kResources4[] = {{kCoarseThreads, 0, reinterpret_cast<const void *>(gemm_coarsened_kernel<4>)}};
constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<Coarsened<2>>(kResources2),
                                      plain_gemm_kernel<Coarsened<4>>(kResources4)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
