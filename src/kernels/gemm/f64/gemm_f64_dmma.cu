// gemm_f64_dmma_64x64, _128x64: fp64 on tensor cores, by blocks whose warps copy and multiply in turn.
//
// Idea and data movement: stages of A and B, 16 of k deep, come into shared memory by cp.async (f64_tile.cuh); a warp
// multiplies 32 x 32 or 64 x 32 of D out of them (f64_dmma.cuh), reading the next fragments while it multiplies the
// last. The warps that copy are the warps that multiply, which costs them some of
// the rate: on 9.0 gemm_f64_dmma_ws_128x128 is for large products, and these are for small ones and for compute capability 8.0.
// Needs: compute capability 8.0 (m8n8k4; on 9.0 m16n8k8).
// Prediction: the multiply-adds of the busiest SM at about four fifths of the tensor cores' rate (of small tiles three
// quarters), or the operands' bytes.
#include "gemm/f64/f64_dmma.cuh"
#include "gemm/f64/f64_gemm.h"

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

template <class T, bool kLarge>
struct F64Dmma {
  using Tile = T;
  static constexpr char kName[] = "gemm_f64_dmma";
  static constexpr int kThreads = Tile::kMathThreads, kSharedBytes = Tile::kStages * Tile::kStageBytes;
  static constexpr auto kKernel = gemm_f64_dmma_kernel<Tile>;

  // With A by rows and B by rows, D^T = B^T A^T has both operands lie the way of their arrangements.
  static double factor() { return kLarge ? gemm_f64_figures.dmma_128x64_factor : gemm_f64_figures.dmma_64x64_factor; }
  static F64Speed speed(const gpuopt_problem &problem) {
    const GemmF64Figures &g = gemm_f64_figures;
    const int32_t cc = problem.device->cc;
    const double units = cc == 90 ? 128 : cc == 80 || cc == 100 ? 64 : 2;  // multiply-adds of an SM and clock
    const bool transposed = problem.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_ROW &&
                            problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_ROW;
    return {transposed ? Tile::kBN : Tile::kBM,
            transposed ? Tile::kBM : Tile::kBN,
            Tile::kBlocksPerSm,
            transposed,
            (kLarge ? g.dmma_128x64_share : g.dmma_64x64_share) * units,
            Tile::kBM * Tile::kBN / (g.dmma_alone_share * units),
            kLarge ? g.dmma_128x64_us : g.dmma_64x64_us};
  }
};

using Small = F64Dmma<F64Dmma64x64, false>;
using Large = F64Dmma<F64Dmma128x64, true>;
constexpr gpuopt_kernel batch_invariant(gpuopt_kernel kernel) {
  kernel.understands |= GPUOPT_FEATURE_BATCH_INVARIANT;
  kernel.can_run = gemm_order_can_run<GemmOrder::dmma>;
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {
    batch_invariant(f64_kernel<F64Launch<Large>>("gemm_f64_dmma_128x64",
                                                 "fp64 tensor cores: 128 x 64 tiles, warps of 64 x 32; split-K", 80,
                                                 kResourcesOf<Large::kThreads, Large::kSharedBytes, Large::kKernel>)),
    batch_invariant(f64_kernel<F64Launch<Small>>("gemm_f64_dmma_64x64",
                                                 "fp64 tensor cores: 64 x 64 tiles, warps of 32 x 32; split-K", 80,
                                                 kResourcesOf<Small::kThreads, Small::kSharedBytes, Small::kKernel>)),
};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
