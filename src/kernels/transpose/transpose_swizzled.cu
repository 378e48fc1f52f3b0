// 32 x 32 tiles in shared memory, columns exchanged by an XOR with the row: no bank conflicts and no padding.
//
// Data movement: as tile32.cuh says. Element (row, col) lies at column col ^ row: a row is still 32 different
// columns and so 32 banks, and a column, whose rows differ, is too. It costs one XOR an access and saves 1/32 of the
// shared memory, which no kernel of this size runs out of; larger tiles that are read 16 bytes at a time have no
// other choice, because a padded row would not be aligned.
// Needs: nothing of extents, ld and alignment. It does not copy between layouts (no corner to turn).
// Recorded (H200, 2026-11-21, single call, cold), forced: 8192^2 f32 165.0 us, 78 % of copy.
// arch class: teaching
#include "tile32.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_swizzled";
constexpr TileLayout kLayout = TileLayout::swizzled;

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return launch_tile32<kLayout>(kName, problem, launch);
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return prepare_tile32<kLayout>(kName, problem, launch);
}

// Fitted on an H200.
constexpr TileCost kCost = {3.9, {0.26, 0.48, 0.70, 0.80, 0.83}};

double predict_us(const gpuopt_problem *problem) { return tiles_us(*problem, kCost, kTile, kTile, kTileThreads); }

#define GPUOPT_RESOURCES_(kBytes) GPUOPT_TILE32_RESOURCES(kBytes, kLayout)
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCES_)};
#undef GPUOPT_RESOURCES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = transpose_kernel(kName, "32 x 32 tiles in shared memory, swizzled by XOR instead of padded",
                                     kViewFeatures | GPUOPT_FEATURE_IN_PLACE);
  k.flags = GPUOPT_KERNEL_TEACHING;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
