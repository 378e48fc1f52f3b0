// Reads by elements, writes in aligned vectors of 16 bytes: for leading dimensions that no vector divides.
//
// Data movement: realigned_tile.cuh. Rows of the result are cut where their own memory is aligned.
// Needs: nothing of extents, ld and alignment. Measured on an H200 (2026-11-21, single call, cold): 4097 x 4099 f32
// 41.9 us, 82 % of copy (transpose_padded 45.4, geam 44.6), bf16 27.8 us, 69 %, i8 23.3 us, 48 %, f64 72.4 us, 92 %.
// Reading aligned vectors too, into shared memory at a pitch congruent to the leading dimension, was slower (56, 38,
// 21 and 88 us): the gathers that it takes to write cost more than the reads gain.
#include "realigned_tile.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_realigned";

template <int kBytes>
struct TileOf {
  using type = RealignedTile<kBytes, 128, 128, kBytes == 1 ? 256 : 512>;
};
template <>
struct TileOf<8> {
  using type = RealignedTile<8, 64, 64, 512>;
};
template <>
struct TileOf<16> {
  using type = RealignedTile<16, 32, 32, 256>;
};
template <int kBytes, int kRows, int kCols, int kThreads>
constexpr auto entry(RealignedTile<kBytes, kRows, kCols, kThreads>) {
  return transpose_realigned_kernel<kBytes, kRows, kCols, kThreads>;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    using Tile = typename TileOf<decltype(bytes)::value>::type;
    return launch_tiles(kName, *problem, launch, problem->m + Tile::kOverlap, Tile::kTileRows, Tile::kTileCols,
                        dim3(Tile::kTileThreads), Tile::kSmem, entry(Tile{}));
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    using Tile = typename TileOf<decltype(bytes)::value>::type;
    return load_kernel(launch, kName, entry(Tile{}), Tile::kSmem);
  });
}

// Fitted on an H200.
constexpr TileCost kCost = {5.0, {0.42, 0.60, 0.75, 0.81, 0.80}};

double predict_us(const gpuopt_problem *problem) {
  double us = 0;
  with_bytes(*problem, [&](auto bytes) {
    using Tile = typename TileOf<decltype(bytes)::value>::type;
    us = tiles_us(*problem, kCost, Tile::kTileRows, Tile::kTileCols, Tile::kTileThreads);
    return GPUOPT_OK;
  });
  return us;
}

#define GPUOPT_RESOURCES_(kBytes)                                     \
  {                                                                   \
    TileOf<kBytes>::type::kTileThreads, TileOf<kBytes>::type::kSmem,  \
        reinterpret_cast<const void *>(entry(TileOf<kBytes>::type{})) \
  }
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCES_)};
#undef GPUOPT_RESOURCES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      transpose_kernel(kName, "reads by elements, aligned 16-byte writes: any alignment", kTransposeFeatures);
  k.predict_us = predict_us;
  k.prepare = prepare;
  k.launch = launch;
  k.resources = kResources;
  k.resource_count = sizeof kResources / sizeof kResources[0];
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
