// 32 x 32 tiles turned over in shared memory: both the reads and the writes are coalesced, and the banks queue.
//
// Data movement: as tile32.cuh says, in the plainest layout. A column of 4-byte elements lies in a single memory
// bank, so the 32 reads of a warp that writes one row of the result take 32 turns; 8-byte elements conflict 16
// ways in each half of a warp, 2-byte and 1-byte elements 16 and 8 ways.
// Needs: nothing of extents, ld and alignment. It does not copy between layouts (no corner to turn).
// Recorded (H200, 2026-11-21, single call, cold), forced: 8192^2 f32 312.2 us, 41 % of copy.
// arch class: teaching
#include "tile32.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_tiled";
constexpr TileLayout kLayout = TileLayout::plain;

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return launch_tile32<kLayout>(kName, problem, launch);
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return prepare_tile32<kLayout>(kName, problem, launch);
}

// Fitted on an H200.
constexpr TileCost kCost = {3.9, {0.10, 0.20, 0.40, 0.45, 0.50}};

double predict_us(const gpuopt_problem *problem) { return tiles_us(*problem, kCost, kTile, kTile, kTileThreads); }

#define GPUOPT_RESOURCES_(kBytes) GPUOPT_TILE32_RESOURCES(kBytes, kLayout)
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCES_)};
#undef GPUOPT_RESOURCES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = transpose_kernel(kName, "32 x 32 tiles in shared memory, with its 32-way bank conflict",
                                     kViewFeatures | GPUOPT_FEATURE_IN_PLACE);
  k.flags = GPUOPT_KERNEL_TEACHING;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
