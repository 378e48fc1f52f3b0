// gemm_regblock_8x4, gemm_regblock_8x8: a thread keeps a block of 8 x 4 (8 x 8) sums in registers.
//
// Idea and data movement: 16 x 16 threads compute 128 x 64 (128 x 128) elements of D. A step of k brings 8 elements
// of A and 4 (8) of B from shared memory to registers, once, and multiplies all with all: 12 reads for 32
// multiply-adds (16 for 64), where gemm_tiled_32 needs 40 (80). Shared memory serves one read of a warp a clock
// beside four multiply-adds, so it bounds 8 x 4 at 67 % of the peak; for 8 x 8 it no longer does, but the reads still
// take issue slots: 80 %.
// Operand order: both tiles lie k first, so that a step reads neighbours of both, and a thread's elements are 16
// apart, so that neighbouring threads read neighbouring words. With a thread's elements side by side, lanes would
// read words 8 apart, a quarter of the banks. The column-wise store of a row-major A is kept free of conflicts by the
// pitch. Tiles are 32 deep: with 16, barriers and latency come twice as often, and 8 x 4 drops from 30 to 28 TFLOP/s.
//
// Needs: fp32. Counterparts: gemm_coarsened_4, gemm_vec4.
// Recorded (H200, 2026-11-21, single call, cold), nn: gemm_regblock_8x4 112 us, 4.59 ms, 35.7 ms for 1024, 4096, 8192
// cubed; 30.0 TFLOP/s at 4096, 0.59 of the best peer, 45 % of the fp32 peak; gemm_regblock_8x8 156 us, 3.84 ms, 30.4
// ms; 35.8 TFLOP/s at 4096, 0.70 of the best peer, 54 % of the fp32 peak. At 1024, 8 x 8 is the slower one: 64 blocks
// for 132 SMs.
// arch class: teaching

#include "gemm/panel.cuh"
#include "gemm/plain_gemm.cuh"

namespace gpuopt {

constexpr int kBlockSide = 16, kBlockThreads = kBlockSide * kBlockSide, kBlockDepth = 32;

template <int kRows, int kCols>
__global__ void __launch_bounds__(kBlockThreads, kCols == 4 ? 3 : 2)
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

    const auto scalars = gemm.out.scalars();
#pragma unroll
    for (int e = 0; e < kRows; ++e) {
#pragma unroll
      for (int f = 0; f < kCols; ++f) {
        const int i = y + e * kBlockSide, j = x + f * kBlockSide;
        if (i < rows && j < cols) gemm.out.store(scalars, tile.p, row + i, col + j, acc[e][f]);
      }
    }
  }
}

namespace {

template <int kRows, int kCols>
struct Regblock {
  static constexpr const char *kName = kCols == 4 ? "gemm_regblock_8x4" : "gemm_regblock_8x8";
  static constexpr const char *kSummary =
      kCols == 4 ? "8 x 4 sums a thread in registers" : "8 x 8 sums a thread in registers";
  static constexpr int kTileM = kRows * kBlockSide, kTileN = kCols * kBlockSide, kStripe = 8;
  static constexpr int kThreads = kBlockThreads, kDynamicSmem = 0;
  static constexpr SimtGemmSpeed kSpeed = {kTileM, kTileN, kCols == 4 ? 3 : 2, kCols == 4 ? 115.0 : 130.0,
                                           kCols == 4 ? 206.0 : 320.0};
  static auto kernel() { return gemm_regblock_kernel<kRows, kCols>; }
};

gpuopt_resource kResources4[] = {{kBlockThreads, 0, reinterpret_cast<const void *>(gemm_regblock_kernel<8, 4>)}};
gpuopt_resource kResources8[] = {{kBlockThreads, 0, reinterpret_cast<const void *>(gemm_regblock_kernel<8, 8>)}};
constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<Regblock<8, 4>>(kResources4),
                                      plain_gemm_kernel<Regblock<8, 8>>(kResources8)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
