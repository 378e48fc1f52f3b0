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
// pitch. Tiles are 32 deep: with 16, barriers and latency come twice as often.
//
// Needs: fp32. Counterparts: gemm_coarsened_4, gemm_vec4.
// Prediction: the bounds by shared memory above, less barriers and latency; with few tiles, the busiest SM.
// arch class: teaching

#include "gemm/ladder/figures.h"
#include "gemm/ladder/regblock.cuh"

namespace gpuopt {

namespace {

template <int kRows, int kCols>
struct Regblock {
  static constexpr const char *kName = kCols == 4 ? "gemm_regblock_8x4" : "gemm_regblock_8x8";
  static constexpr const char *kSummary =
      kCols == 4 ? "8 x 4 sums a thread in registers" : "8 x 8 sums a thread in registers";
  static constexpr int kTileM = kRows * kBlockSide, kTileN = kCols * kBlockSide, kStripe = 8;
  static constexpr int kThreads = kBlockThreads, kDynamicSmem = 0;
  static SimtGemmSpeed speed() {
    return kCols == 4 ? GPUOPT_LADDER_SPEED(regblock_8x4, 3) : GPUOPT_LADDER_SPEED(regblock_8x8, 2);
  }
  static constexpr auto kKernel = gemm_regblock_kernel < kRows, kCols, kCols == 4 ? 3 : 2 > ;
};

constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<Regblock<8, 4>>(), plain_gemm_kernel<Regblock<8, 8>>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
