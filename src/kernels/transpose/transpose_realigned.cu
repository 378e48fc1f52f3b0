// Aligned words in, aligned vectors of 16 bytes out: for leading dimensions that no vector divides.
//
// Data movement: realigned_tile.cuh. Rows of the result are cut where their own memory is aligned: at sectors of 32
// bytes; at 16 bytes for elements of 16. Small tiles of 4-byte elements, six blocks on an SM, overlap reading and
// writing better than tiles of twice the rows.
// Needs: nothing of extents, ld and alignment.
// Recorded (H200, 2026-11-21, single call, cold), 4097 x 4099: f32 38.3 us, 91 % of copy, in a graph 94 % (geam 45.9
// us), bf16 23.4 us, 83 %, in a graph 86 %, f64 71.0 us, 94 %. What counts are instructions: with 32 of them for every
// 32 elements instead of 12, as many bytes from memory took a ninth longer (f32, measured once).
// Measured once, not in a record (H200, 2026-11-21, single call, cold), with smaller tiles: i8 17.3 us, 65 %.
#include "realigned_tile.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_realigned";

// Cut, units across, rows of a warp, warps, rows, blocks on an SM.
template <int kBytes>
using TileOf = BySize<kBytes, RealignedTile<1, 32, 1, 20, 8, 128, 4>, RealignedTile<2, 32, 1, 16, 9, 128, 4>,
                      RealignedTile<4, 32, 4, 5, 8, 32, 6>, RealignedTile<8, 32, 2, 7, 10, 64, 3>,
                      RealignedTile<16, 16, 1, 4, 8, 32, 4>>;

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    using Tile = TileOf<decltype(bytes)::value>;
    return launch_tiles(kName, *problem, launch, problem->m + Tile::kCut - 1, Tile::kTileRows, Tile::kTileCols,
                        dim3(Tile::kTileThreads), Tile::kSmem, transpose_realigned_kernel<Tile>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    using Tile = TileOf<decltype(bytes)::value>;
    return load_kernel(launch, kName, transpose_realigned_kernel<Tile>, Tile::kSmem);
  });
}

// Fitted on an H200; by log2 of the element size.
constexpr double kFixedUs[] = {6.5, 5.3, 4.95, 5.2, 5.2}, kFraction[] = {0.70, 0.785, 0.86, 0.86, 0.85};

double predict_us(const gpuopt_problem *problem) {
  const int size = word_log2(*problem);
  TileCost cost = {kFixedUs[size], {}};
  cost.fraction[size] = kFraction[size];
  double us = 0;
  with_bytes(*problem, [&](auto bytes) {
    using Tile = TileOf<decltype(bytes)::value>;
    us = tiles_us(*problem, cost, Tile::kTileRows, Tile::kTileCols, Tile::kTileThreads);
    return GPUOPT_OK;
  });
  return us;
}

#define GPUOPT_RESOURCES_(kBytes)                                                  \
  {                                                                                \
    TileOf<kBytes>::kTileThreads, TileOf<kBytes>::kSmem,                           \
        reinterpret_cast<const void *>(transpose_realigned_kernel<TileOf<kBytes>>) \
  }
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCES_)};
#undef GPUOPT_RESOURCES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      transpose_kernel(kName, "aligned words in, aligned 16-byte vectors out: any alignment", kViewFeatures);
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
