// gemm_f64_dmma_64x64, _128x64: fp64 on tensor cores, by blocks whose warps copy and multiply in turn.
//
// Idea and data movement: stages of A and B, 16 of k deep, come into shared memory by cp.async (f64_tile.cuh); a warp
// multiplies 32 x 32 or 64 x 32 of D out of them (f64_dmma.cuh), reading the next fragments while it multiplies the
// last. The warps that copy are the warps that multiply, which costs them 11 % on an H200: there
// gemm_f64_dmma_ws_128x128 is for large products, and these are for small ones and for compute capability 8.0.
// Needs: compute capability 8.0 (m8n8k4; on 9.0 m16n8k8).
// Recorded (H200, 2026-11-21, single call, cold), nn, 64x64 and 128x64: 54.1 and 61.0 us for 1024 cubed, 2817 and 2568
// us for 4096 (48.8 and 53.5 TFLOP/s, 0.78 and 0.85 of the best peer), 22.0 and 20.4 ms for 8192; the best peer 42.3
// us, 2195 us, 17.2 ms. 1001 cubed 56.6 us by 64x64, the automatic choice (1.01), and 66.6 us by 128x64.
#include "gemm/f64_dmma.cuh"
#include "gemm/f64_gemm.h"

namespace gpuopt {

using F64Dmma64x64 = F64DmmaTile<64, 64, 32, 32, 3, 2>;
using F64Dmma128x64 = F64DmmaTile<128, 64, 64, 32, 3, 2>;

template <class Tile>
__global__ void __launch_bounds__(Tile::kMathThreads, Tile::kBlocksPerSm)
    gemm_f64_dmma_kernel(const __grid_constant__ F64Gemm gemm) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  constexpr int kStages = Tile::kStages, kThreads = Tile::kMathThreads;
  extern __shared__ __align__(128) char f64_shared[];
  const uint32_t shared = static_cast<uint32_t>(__cvta_generic_to_shared(f64_shared));
  F64DmmaWarp<Tile> warp;

  for (int64_t index = blockIdx.x; index < gemm.tiles.total * gemm.slices; index += gridDim.x) {
    F64Work work;
    work.begin(gemm, index, Tile::kBM, Tile::kBN);
    F64Loader<F64Arrangement::kPairsOfRows, Tile::kBM, kThreads> left(gemm.left, work.p, work.row, work.k_begin);
    F64Loader<F64Arrangement::kPairsOfK, Tile::kBN, kThreads> right(gemm.right, work.p, work.col, work.k_begin);
    int k_left = work.depth;
    const auto copy = [&](int stage) {
      left.copy(shared + stage * Tile::kStageBytes, k_left);
      right.copy(shared + stage * Tile::kStageBytes + Tile::kRightBytes, k_left);
      k_left -= kF64Depth;
      __pipeline_commit();
    };

    __syncthreads();  // the last tile's fragments are read
#pragma unroll
    for (int s = 0; s < kStages - 1; ++s) copy(s);
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    int stage = 0, free_stage = kStages - 1;
    const char *from = f64_shared;
    warp.clear();
    warp.read_right(from, 0);
    warp.read_left(from, 0, 0);
    for (int step = 0; step < work.steps; ++step) {
#pragma unroll
      for (int part = 0; part < Tile::kParts; ++part) {
#pragma unroll
        for (int i = 0; i < Tile::kRows; ++i) {
          if (i + 1 < Tile::kRows) {
            warp.read_left(from, part, i + 1);
          } else {
            const int next = (part + 1) % Tile::kParts;
            if (next == 0) {
              free_stage = stage;
              stage = stage + 1 < kStages ? stage + 1 : 0;
              from = f64_shared + stage * Tile::kStageBytes;
              __pipeline_wait_prior(kStages - 2);
              __syncthreads();
            }
            warp.read_right(from, next);
            warp.read_left(from, next, 0);
          }
          if (part == 0 && i == 0)
            copy(free_stage);  // all warps are past the barrier that follows its
                               // last use
          warp.multiply(part, i);
        }
      }
    }
    __pipeline_wait_prior(0);
    warp.store(F64Store(gemm, work.p, work.slice), gemm.transposed, work.row, work.col);
  }
#endif
}

namespace {

template <class Tile>
constexpr int kSharedBytes = Tile::kStages *Tile::kStageBytes;

// With A by rows and B by rows, D^T = B^T A^T has both operands lie the way of their arrangements.
template <class Tile>
F64Speed speed(const gpuopt_problem &problem) {
  const int32_t cc = problem.device->cc;
  const double units = cc == 90 ? 128 : cc == 80 || cc == 100 ? 64 : 2;  // multiply-adds of an SM and clock
  const bool transposed = problem.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_ROW &&
                          problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_ROW;
  return {transposed ? Tile::kBN : Tile::kBM,
          transposed ? Tile::kBM : Tile::kBN,
          Tile::kBlocksPerSm,
          transposed,
          (Tile::kBM > 64 ? 0.82 : 0.74) * units,
          Tile::kBM * Tile::kBN / (0.6 * units),
          8.0};
}

template <class Tile>
gpuopt_resource kResource = {Tile::kMathThreads, kSharedBytes<Tile>,
                             reinterpret_cast<const void *>(gemm_f64_dmma_kernel<Tile>)};

template <class Tile>
struct F64Dmma {
  static double predict_us(const gpuopt_problem *problem) { return f64_plan(*problem, speed<Tile>(*problem)).us; }
  static void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
    f64_workspace(*problem, speed<Tile>(*problem), scratch, zeroed);
  }
  static gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
    return f64_prepare(launch, "gemm_f64_dmma", kSharedBytes<Tile>, gemm_f64_dmma_kernel<Tile>);
  }
  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    return f64_launch(*problem, launch, "gemm_f64_dmma", speed<Tile>(*problem), Tile::kMathThreads, kSharedBytes<Tile>,
                      gemm_f64_dmma_kernel<Tile>);
  }
  static constexpr gpuopt_kernel make(const char *name, const char *summary) {
    gpuopt_kernel kernel = f64_kernel(name, summary, 80);
    kernel.predict_us = predict_us;
    kernel.workspace = workspace;
    kernel.prepare = prepare;
    kernel.launch = launch;
    kernel.resources = &kResource<Tile>;
    kernel.resource_count = 1;
    return kernel;
  }
};
constexpr gpuopt_kernel kKernels[] = {
    F64Dmma<F64Dmma128x64>::make("gemm_f64_dmma_128x64",
                                 "fp64 tensor cores: 128 x 64 tiles, warps of 64 x 32; split-K"),
    F64Dmma<F64Dmma64x64>::make("gemm_f64_dmma_64x64", "fp64 tensor cores: 64 x 64 tiles, warps of 32 x 32; split-K"),
};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
