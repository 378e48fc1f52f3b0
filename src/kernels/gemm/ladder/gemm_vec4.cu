// gemm_vec4: gemm_regblock_8x8 with every access 16 bytes wide, float4 from global and from shared memory.
//
// Idea and data movement: the sums and the traffic in bytes are gemm_regblock_8x8's; what shrinks is the number of
// instructions that move them. A thread brings its 8 elements of each panel by two loads instead of eight, and a step
// of k reads shared memory by four accesses instead of sixteen: 4 for 64 multiply-adds, which leaves 94 % of the
// issue slots to arithmetic. Wide reads need the threads' elements side by side, and side by side they must not fall
// into the same banks: quad_tile.cuh has the layout.
//
// Needs: fp32. Where lines of A or B do not start on multiples of 16 bytes, that operand is read element by element.
// Counterpart: gemm_regblock_8x8.
// Prediction: nine in ten issue slots are arithmetic; register banks and the waits at each tile leave two thirds of the
// peak.
// arch class: teaching

#include "gemm/ladder/figures.h"
#include "gemm/ladder/quad_reader.cuh"

namespace gpuopt {

__global__ void __launch_bounds__(kQuadThreads, 2) gemm_vec4_kernel(const __grid_constant__ PlainGemm<float> gemm) {
  __shared__ alignas(16) QuadPanel panel_a, panel_b;
  quad_product<float>(gemm, panel_a, panel_b);
}

namespace {

struct Vec4 {
  static constexpr const char *kName = "gemm_vec4";
  static constexpr const char *kSummary = "8 x 8 sums a thread, 16-byte accesses to global and shared memory";
  static constexpr int kTileM = kQuadTile, kTileN = kQuadTile, kStripe = 8;
  static constexpr int kThreads = kQuadThreads, kDynamicSmem = 0;
  static SimtGemmSpeed speed() { return GPUOPT_LADDER_SPEED(vec4, 2); }
  static constexpr auto kKernel = gemm_vec4_kernel;
};

constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<Vec4>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
