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
// Recorded (H200, 2026-11-21, single call, cold), nn: 119 us, 6.91 ms, 52.8 ms for 1024, 4096, 8192 cubed; 19.9 TFLOP/s
// at 4096, 59 % of what its CUDA cores can do, 0.32 of the best peer, which is on tensor cores. 64 cubed 10.0 us, 0.52.
#include "gemm/f64_gemm.h"

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

constexpr char kName[] = "gemm_f64_simt_64x64";

F64Speed speed(const gpuopt_problem &problem) {
  const int32_t cc = problem.device->cc;
  const double units = cc == 90 || cc == 100 ? 64 : cc == 80 ? 32 : 2;  // of an SM
  const double rate = units * (units > 2 ? 0.62 : 0.9);                 // shared memory keeps up with two units
  return {kF64SimtTile, kF64SimtTile, 2, false, rate, kF64SimtTile * kF64SimtTile / rate * 0.7, 6.0};
}

double predict_us(const gpuopt_problem *problem) { return f64_plan(*problem, speed(*problem)).us; }
void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  f64_workspace(*problem, speed(*problem), scratch, zeroed);
}
gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  return f64_prepare(launch, kName, kF64SimtSharedBytes, gemm_f64_simt_kernel);
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return f64_launch(*problem, launch, kName, speed(*problem), kF64SimtThreads, kF64SimtSharedBytes,
                    gemm_f64_simt_kernel);
}

gpuopt_resource kResources[] = {
    {kF64SimtThreads, kF64SimtSharedBytes, reinterpret_cast<const void *>(gemm_f64_simt_kernel)}};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = f64_kernel(kName,
                                    "fp64 on CUDA cores: 64 x 64 tiles, 8 x 4 "
                                    "a thread, three stages; split-K",
                                    75);
  kernel.workspace = workspace;
  set_functions(kernel, predict_us, prepare, launch, kResources);
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
