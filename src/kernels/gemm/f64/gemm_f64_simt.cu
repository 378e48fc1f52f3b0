// gemm_f64_simt_64x64: fp64 on the CUDA cores, a 64 x 64 tile a block, 8 x 4 elements a thread.
//
// Idea and data movement: A and B come through three stages in shared memory, 16 of k deep (f64_tile.cuh). A thread
// holds rows 8 apart and columns 8 apart, so that the eight columns (and the four rows) of a warp are neighbours, whose
// 16-byte chunks meet no bank twice; a chunk is two of k: 12 reads of 16 bytes for 64 multiply-adds.
//
// Where fp64 units are scarce (two an SM on compute capability 7.5, 8.6, 8.9, 12.0) this is as fast as fp64 gets, and
// their tensor cores are no faster. Where there are many (8.0, 9.0) the tensor cores are twice as fast:
// gemm_f64_dmma_*.
// Needs: nothing.
// Prediction: the multiply-adds of the busiest SM at about 60 % of the CUDA cores' rate (two units an SM: nine tenths), or
// the operands' bytes.
#include "gemm/common/tile_space.cuh"
#include "gemm/f64/f64_gemm.h"

namespace gpuopt {

constexpr int kF64SimtTile = 64, kF64SimtThreads = 128, kF64SimtStages = 3;
constexpr int kF64SimtRows = 8, kF64SimtCols = 4;  // of a thread
constexpr int kF64SimtStageBytes = 2 * kF64SimtTile * kF64RowBytes;
constexpr int kF64SimtSharedBytes = kF64SimtStages * kF64SimtStageBytes;

__global__ void __launch_bounds__(kF64SimtThreads, 2) gemm_f64_simt_kernel(const __grid_constant__ F64Gemm gemm) {
  constexpr auto kPairsOfK = F64Arrangement::kPairsOfK;
  constexpr int kTile = kF64SimtTile, kStages = kF64SimtStages;
  extern __shared__ __align__(128) char f64_simt_shared[];
  const uint32_t shared = static_cast<uint32_t>(__cvta_generic_to_shared(f64_simt_shared));
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int row_in_tile = warp / 2 * 4 + lane / 8, col_in_tile = warp % 2 * 32 + lane % 8;
  const int from_a = f64_place<kPairsOfK, kTile>(row_in_tile, 0);
  const int from_b = f64_place<kPairsOfK, kTile>(kTile + col_in_tile, 0);

  for (int64_t block = blockIdx.x; block < gemm.tiles.total * gemm.slices; block += gridDim.x) {
    const int64_t slice = block / gemm.tiles.total;
    const TileSpace::Tile tile = gemm.tiles.tile(block - slice * gemm.tiles.total);
    const int64_t row = tile.row * kTile, col = tile.col * kTile, k_begin = slice * gemm.slice_k;
    int k_left = static_cast<int>(max(min(gemm.slice_k, gemm.k - k_begin), int64_t{0}));
    const int steps = (k_left + kF64Depth - 1) / kF64Depth;
    F64Loader<kPairsOfK, kTile, kF64SimtThreads> a(gemm.left, tile.p, row, k_begin);
    F64Loader<kPairsOfK, kTile, kF64SimtThreads> b(gemm.right, tile.p, col, k_begin);
    const auto copy = [&](int stage) {
      a.copy(shared + stage * kF64SimtStageBytes, k_left);
      b.copy(shared + stage * kF64SimtStageBytes + kTile * kF64RowBytes, k_left);
      k_left -= kF64Depth;
      __pipeline_commit();
    };

    __syncthreads();  // the last tile is read
#pragma unroll
    for (int s = 0; s < kStages - 1; ++s) copy(s);
    double acc[kF64SimtRows][kF64SimtCols] = {};
    int stage = 0, free_stage = kStages - 1;
    for (int step = 0; step < steps; ++step) {
      __pipeline_wait_prior(kStages - 2);
      __syncthreads();
      copy(free_stage);
      const char *at = f64_simt_shared + stage * kF64SimtStageBytes;
#pragma unroll
      for (int chunk = 0; chunk < kF64Depth / 2; ++chunk) {
        double2 left[kF64SimtRows], right[kF64SimtCols];
#pragma unroll
        for (int i = 0; i < kF64SimtRows; ++i) {
          left[i] = *reinterpret_cast<const double2 *>(at + (from_a ^ chunk * 16) + i * 8 * kF64RowBytes);
        }
#pragma unroll
        for (int j = 0; j < kF64SimtCols; ++j) {
          right[j] = *reinterpret_cast<const double2 *>(at + (from_b ^ chunk * 16) + j * 8 * kF64RowBytes);
        }
#pragma unroll
        for (int i = 0; i < kF64SimtRows; ++i) {
#pragma unroll
          for (int j = 0; j < kF64SimtCols; ++j) {
            acc[i][j] = fma(left[i].x, right[j].x, acc[i][j]);
            acc[i][j] = fma(left[i].y, right[j].y, acc[i][j]);
          }
        }
      }
      free_stage = stage;
      stage = stage + 1 < kStages ? stage + 1 : 0;
    }
    __pipeline_wait_prior(0);

    const F64Store d(gemm, tile.p, slice);
#pragma unroll
    for (int i = 0; i < kF64SimtRows; ++i) {
#pragma unroll
      for (int j = 0; j < kF64SimtCols; ++j) d.one(row + row_in_tile + i * 8, col + col_in_tile + j * 8, acc[i][j]);
    }
  }
}

namespace {

struct F64Simt {
  static constexpr char kName[] = "gemm_f64_simt_64x64";
  static constexpr int kThreads = kF64SimtThreads, kSharedBytes = kF64SimtSharedBytes;
  static constexpr auto kKernel = gemm_f64_simt_kernel;

  static double factor() { return gemm_f64_figures.simt_factor; }
  static F64Speed speed(const gpuopt_problem &problem) {
    const GemmF64Figures &g = gemm_f64_figures;
    const int32_t cc = problem.device->cc;
    const double units = cc == 90 || cc == 100 ? 64 : cc == 80 ? 32 : 2;  // of an SM
    const double rate = units * (units > 2 ? g.simt_share : g.simt_two_units_share);
    const double alone = kF64SimtTile * kF64SimtTile / rate * g.simt_alone_factor;
    return {kF64SimtTile, kF64SimtTile, 2, false, rate, alone, g.simt_us};
  }
};

constexpr gpuopt_kernel kKernels[] = {f64_kernel<F64Launch<F64Simt>>(
    F64Simt::kName, "fp64 on CUDA cores: 64 x 64 tiles, 8 x 4 a thread, three stages; split-K", 75,
    kResourcesOf<F64Simt::kThreads, F64Simt::kSharedBytes, F64Simt::kKernel>)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
