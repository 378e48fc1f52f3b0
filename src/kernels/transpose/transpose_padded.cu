// 32 x 32 tiles in shared memory with a column of padding: coalesced accesses and no bank conflicts.
//
// Data movement: as tile32.cuh says. The tile is one element wider than it is used: without that, a column of
// 4-byte elements lies in one memory bank and its 32 reads queue up; with it, a column touches all 32 banks, for
// every element size from 1 to 16 bytes.
// Needs: nothing of extents, ld and alignment. It does not copy between layouts (no corner to turn).
// Recorded (H200, 2026-11-21, single call, cold), forced: 1024^2 f32 6.24 us, 94 % of copy, in a graph 3.37 us.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 8192^2 f32 160.1 us, 80 % of copy; an earlier
// form f64 94 %, bf16 48 %, i8 26 %.
#include "tile32.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_padded";
constexpr TileLayout kLayout = TileLayout::padded;

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
  gpuopt_kernel k = transpose_kernel(kName, "32 x 32 tiles through padded shared memory: coalesced reads and writes",
                                     kViewFeatures | GPUOPT_FEATURE_IN_PLACE);
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
