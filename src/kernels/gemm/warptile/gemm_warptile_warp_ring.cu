// gemm_warptile_warp_ring_64x64: tiles of 64 x 64, each warp with a ring of its own, for products of up to two tiles an SM.
//
// Idea and data movement: see warp_ring.cuh. 1024^3 is 256 such tiles, 128 x 4096 x 4096 is 128 in two parts of k, 64 x
// 4096 x 4096 is 64 in four: two blocks for 128 of an H200's 132 SMs with 1024 or 2048 steps of k each, and no wave
// after. Three stages and not more: what all rings ask for at once in the beginning has to come before the first
// product. Two blocks of 64 x 64 an SM and not one of 64 x 128 with eight warps: the sums and stores of one hide behind
// the other's multiply-adds.
// Needs: fp32, compute capability 9.0 or 10.x; lines below 2^22 elements; every layout and alignment.
// Prediction: the multiply-adds of the busiest SM at about three quarters of the fp32 peak. Beside other tiles of 64 x 64, rings of
// single warps take longer to fill (few parts that are joined at once make half of that up), and tiles over an edge of the product,
// or of 32 steps of k, cost more. With more tiles than its blocks fill the device with, larger ones read less, and there is none.
#include "gemm/warptile/warp_ring.cuh"

#include "gemm/warptile/warptile_instance.cuh"
#include "gemm/warptile/warptile_launch.cuh"

namespace gpuopt {
namespace {

struct WarpRingFunctions {
  using Shape = WarpRingShape<4, 3, 7>;  // warps, stages, parts of a stage's copies
  template <int kBytesA, int kBytesB>
  static constexpr auto kernel = gemm_warptile_warp_ring_kernel<Shape, kBytesA, kBytesB>;
};
using Shape = WarpRingFunctions::Shape;

WarptileFigures figures() {
  const GemmWarptileFigures &g = gemm_warptile_figures;
  return {Shape::kM,
          Shape::kN,
          Shape::kDepth,
          Shape::kBlocks,
          false,
          {g.tile_warp_ring_tn_share, g.tile_warp_ring_nn_share, g.tile_warp_ring_tt_share, g.tile_warp_ring_nt_share},
          g.tile_warp_ring_alone_share};
}
constexpr WarptileCode kCode = {figures, WarptileInstance<WarpRingFunctions>::load,
                                WarptileInstance<WarpRingFunctions>::run};
constexpr WarptileRung kRung = {"gemm_warptile_warp_ring_64x64",
                                {&kCode, nullptr},
                                &gemm_warptile_figures.warp_ring_start_us,
                                &gemm_warptile_figures.warp_ring_factor};
gpuopt_resource kResources[] = {GPUOPT_WARPTILE_RESOURCES(WarpRingFunctions)};

double predict_us(const gpuopt_problem *problem) {
  const GemmWarptileFigures &g = gemm_warptile_figures;
  const WarptileChoice choice = choose_warptile(*problem, kRung);
  const int32_t slots = std::max(problem->device->sm_count, 1) * Shape::kBlocks;
  if (choice.plan.work.tiles > static_cast<uint32_t>(slots)) return 0;
  const bool ragged = problem->m % Shape::kM != 0 || problem->n % Shape::kN != 0 || problem->k % Shape::kDepth != 0;
  return warptile_us(*problem, warptile_times(kRung, choice.plan)) +
         (choice.plan.work.streamed == 0 ? g.warp_ring_whole_us : g.warp_ring_split_us) +
         (ragged ? g.warp_ring_ragged_us : 0);
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMostK = int64_t{1} << 30;  // what is left of it is an int
  if (!warptile_limit(reject, GPUOPT_OPERAND_NONE, static_cast<double>(problem->k), kMostK, "k")) return 0;
  return warptile_can_run(problem, reject);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = warptile_kernel<WarptileLaunch<kRung>>(
      kRung.name, "fp32: tiles of 64 x 64 by warps with rings of their own, k split over blocks that would be idle",
      "gemm_warptile_private_64x64", kResources);
  kernel.can_run = can_run;
  kernel.predict_us = predict_us;
  kernel.cc_min = 90;
  kernel.cc_max = 119;  // the small chips of sm_120 have shared memory for one block
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
