// gemm_spilled_8x8: gemm_regblock_8x8, told to have room for four blocks on a multiprocessor. The one kernel that spills on
// purpose: the strict build, which takes a spill for an error, names it.
//
// Idea and data movement: 64 sums, 16 operands and the addresses of a thread need some 120 registers; four blocks of 256
// threads leave 64. What has no place goes to local memory, which is global memory with an address of its own for every
// thread: L1 serves it while it can. So the occupancy rises from 25 % to 50 %, and every step of k reads and writes sums that
// were free before.
//
// Needs: fp32. Counterpart: gemm_regblock_8x8.
// Prediction: two times slower at least, at twice the occupancy.
// arch class: teaching

#include "gemm/ladder/regblock.cuh"

namespace gpuopt {
namespace {

struct Spilled {
  static constexpr const char *kName = "gemm_spilled_8x8";
  static constexpr const char *kSummary = "gemm_regblock_8x8 bound to 64 registers: the sums live in local memory";
  static constexpr int kTileM = 8 * kBlockSide, kTileN = 8 * kBlockSide, kStripe = 8;
  static constexpr int kThreads = kBlockThreads, kDynamicSmem = 0;
  static constexpr auto kKernel = gemm_regblock_kernel<8, 8, 4>;
};

constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<Spilled, false>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
