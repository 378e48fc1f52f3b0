// gemm_warptile_private_64x64: tiles of 64 x 64, each warp with a ring of its own, for products of up to two tiles a
// multiprocessor.
//
// Idea and data movement: see warptile_private.cuh. 1024^3 is 256 such tiles, 128 x 4096 x 4096 is 128 in two parts of
// k, 64 x 4096 x 4096 is 64 in four: two blocks for 128 of an H200's 132 SMs with 1024 or 2048 steps of k each, and no
// wave after. Three stages and not more: what all rings ask for at once in the beginning has to come before the first
// product. Two blocks of 64 x 64 an SM and not one of 64 x 128 with eight warps: the sums and stores of one hide behind
// the other's multiply-adds.
// Needs: fp32, compute capability 9.0 or 10.x; lines below 2^22 elements; every layout and alignment.
// Recorded (H200, 2026-11-21, single call, cold; of the best peer in brackets), tn, nn, tt, nt: 1024^3 48.1, 51.3,
// 51.5, 53.2 us (1.16, 1.12, 1.14, 1.13), 1000^3 49.3, 52.4, 52.4, 54.1 us (1.13, 1.10, 1.05, 1.04); nn, nt: 128 x 4096
// x 4096 95.6, 99.3 us (1.00, 1.03), 64 x 4096 x 4096 54.9, 57.8 us (1.08, 1.16); 512^3 nn 15.3 us (1.08; in a graph
// 12.7 us, 1.00), tn 15.0 us (1.08; 12.3 us, 1.01). In a graph 1024^3 nn 46.8 us (1.14). Where it is not chosen: 4096^3
// nn 50.5 TFLOP/s (0.99), 8192^3 52.3 (1.02). Measured once, not in a record: at 1024^3 the FMA pipe is busy 68 % of
// the clocks, the issue slots 80 % (ncu); 1.11 instructions a multiply-add in the loop, the rest register banks, start
// and end.
#include "gemm/warptile_private.cuh"

#include <algorithm>

#include "gemm/warptile_launch.cuh"

namespace gpuopt {

// Warps, stages, parts of a stage's copies.
using PrivateTile64x64 = PrivateTileShape<4, 3, 7>;

namespace {

auto pick_private_kernel(int bytes_a, int bytes_b) {
  using Shape = PrivateTile64x64;
  if (bytes_a == 4) {
    return bytes_b == 4 ? gemm_warptile_private_kernel<Shape, 4, 4> : gemm_warptile_private_kernel<Shape, 4, 16>;
  }
  return bytes_b == 4 ? gemm_warptile_private_kernel<Shape, 16, 4> : gemm_warptile_private_kernel<Shape, 16, 16>;
}

}  // namespace

template <>
gpuopt_status WarptileKernels<PrivateTile64x64>::load(const gpuopt_launch *launch, const char *name, int bytes_a,
                                                      int bytes_b) {
  return load_kernel(launch, name, pick_private_kernel(bytes_a, bytes_b), PrivateTile64x64::smem_bytes());
}
template <>
gpuopt_status WarptileKernels<PrivateTile64x64>::run(const gpuopt_launch *launch, const char *name, int bytes_a,
                                                     int bytes_b, const Warptile &w) {
  return launch_kernel(launch, name, w.work.blocks(), PrivateTile64x64::kThreads, PrivateTile64x64::smem_bytes(),
                       pick_private_kernel(bytes_a, bytes_b), w);
}
template <>
gpuopt_resource WarptileKernels<PrivateTile64x64>::resources[4] = {
    {PrivateTile64x64::kThreads, PrivateTile64x64::smem_bytes(),
     reinterpret_cast<const void *>(gemm_warptile_private_kernel<PrivateTile64x64, 4, 4>)},
    {PrivateTile64x64::kThreads, PrivateTile64x64::smem_bytes(),
     reinterpret_cast<const void *>(gemm_warptile_private_kernel<PrivateTile64x64, 4, 16>)},
    {PrivateTile64x64::kThreads, PrivateTile64x64::smem_bytes(),
     reinterpret_cast<const void *>(gemm_warptile_private_kernel<PrivateTile64x64, 16, 4>)},
    {PrivateTile64x64::kThreads, PrivateTile64x64::smem_bytes(),
     reinterpret_cast<const void *>(gemm_warptile_private_kernel<PrivateTile64x64, 16, 16>)},
};

namespace {

struct Private {
  static constexpr char kName[] = "gemm_warptile_private_64x64";
  static constexpr char kSummary[] =
      "fp32: tiles of 64 x 64 by warps with rings of their own, k split over blocks that would be idle";
  using Shape = PrivateTile64x64;
  // Of the loop alone, on an H200 (2026-11-21): what 2048 steps of k take longer than 1024. With one block on an SM as
  // the other tiles of 64 x 64.
  static constexpr WarptileFigures kFigures = {64, 64, Shape::kDepth, 2, {0.798, 0.765, 0.757, 0.73}, 0.81};
  static constexpr WarptileDeal kDeal = WarptileDeal::split_k;
  static constexpr bool kPacks = false;
};

// As measured: rings of single warps take longer to fill than shared ones (few parts that are joined at once make half
// of that up), and tiles over the edge of the product, or of 32 steps of k, cost this kernel more than others. With
// more tiles than its blocks fill the device with, larger ones read less.
double predict_us(const gpuopt_problem *problem) {
  constexpr double kWholeUs = 1.4, kSplitUs = 0.3, kRaggedUs = 1.2;
  using Shape = PrivateTile64x64;
  const WarptileWork work = WarptileLaunch<Private>::plan(*problem).work;
  const int32_t slots = std::max(problem->device->sm_count, 1) * Private::kFigures.blocks_per_sm;
  if (work.tiles > static_cast<uint32_t>(slots)) return 0;
  const bool ragged = problem->m % Shape::kM != 0 || problem->n % Shape::kN != 0 || problem->k % Shape::kDepth != 0;
  return WarptileLaunch<Private>::predict_us(problem) + (work.streamed == 0 ? kWholeUs : kSplitUs) +
         (ragged ? kRaggedUs : 0);
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMostK = int64_t{1} << 30;  // what is left of it is an int
  if (problem->k <= kMostK) return warptile_can_run(problem, reject);
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->k, kMostK, "k"};
  return 0;
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = warptile_kernel<Private>();
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
