// 64 x 64 tiles, sixteen elements a thread: accesses of one element each, for any alignment.
//
// Data movement: element_tile.cuh. Against transpose_padded, each thread moves four times as many elements, all of
// its loads on their way at once, and rows of the tile are twice as long: runs of 256 bytes at 4 bytes an element.
// Needs: nothing of extents, ld and alignment.
// Recorded (H200, 2026-11-21, single call, cold), forced: 8192^2 f32 145.5 us, 89 % of copy.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 4097 x 4099 f32 45.2 us, 77 % of copy, bf16
// 34.7 us, 56 %.
#include "element_tile.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_coarsened";

constexpr int kTile = 64, kThreads = 256;
template <int kBytes>
constexpr int kSmem = kTile *(kTile + 1) * kBytes;
template <int kBytes>
constexpr auto kEntry = transpose_element_kernel<kBytes, kTile, kThreads>;

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return launch_tiles(kName, *problem, launch, problem->m, kTile, kTile, dim3(kThreads), kSmem<kBytes>,
                        kEntry<kBytes>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return load_kernel(launch, kName, kEntry<kBytes>, kSmem<kBytes>);
  });
}

// Fitted on an H200.
constexpr TileCost kCost = {5.0, {0.30, 0.52, 0.68, 0.79, 0.80}};

double predict_us(const gpuopt_problem *problem) { return tiles_us(*problem, kCost, kTile, kTile, kThreads); }

#define GPUOPT_RESOURCES_(kBytes) \
  { kThreads, kSmem<kBytes>, reinterpret_cast<const void *>(kEntry<kBytes>) }
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCES_)};
#undef GPUOPT_RESOURCES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = transpose_kernel(
      kName, "64 x 64 tiles, 16 elements a thread, accesses of one element: any alignment", kViewFeatures);
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
