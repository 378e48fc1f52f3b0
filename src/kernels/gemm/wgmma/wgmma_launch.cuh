// From a wgmma kernel to its descriptor.
#pragma once

#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_parts.h"
#include "gemm/wgmma/wgmma_entry.h"
#include "gemm/wgmma/wgmma_host.h"

namespace gpuopt {

// What kernels of the same tile share, whatever their types.
struct WgmmaShape {
  const char *summary;
  WgmmaSpeed (*speed)();
};
inline constexpr WgmmaShape kWgmmaShared128x256 = {
    "wgmma, 128 x 256 tiles shared by two warpgroups, persistent blocks, TMA in and out", wgmma_shared_128x256_speed};
inline constexpr WgmmaShape kWgmmaShared128x192 = {
    "wgmma, 128 x 192 tiles shared by two warpgroups, persistent blocks, TMA in and out", wgmma_shared_128x192_speed};
inline constexpr WgmmaShape kWgmmaPingPong128x192 = {
    "wgmma, 128 x 192 tiles by two warpgroups in turn, persistent blocks, TMA in and out",
    wgmma_pingpong_128x192_speed};
inline constexpr WgmmaShape kWgmmaPingPong128x128 = {
    "wgmma, 128 x 128 tiles by two warpgroups in turn, persistent blocks, TMA in and out",
    wgmma_pingpong_128x128_speed};

// A kernel whose operands lie along k. Types: kTypes and kAnyLayout. Tiles: for each pair of types, then, where it takes
// scales of blocks, for each with them (wgmma_host.h).
template <const char *kKernel, const WgmmaShape &kTile, class Types, class Tile, class... Tiles>
struct WgmmaAlongK : Types {
  static constexpr const char *kName = kKernel;
  static constexpr const WgmmaShape &kShape = kTile;
  using FirstTile = Tile;
  inline static gpuopt_resource resources[1 + sizeof...(Tiles)] = {
      {Tile::kThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_wgmma_kernel<Tile, true, true>)},
      {Tiles::kThreads, Tiles::kShared, reinterpret_cast<const void *>(gemm_wgmma_kernel<Tiles, true, true>)}...};
};

template <class Kernel>
WgmmaHost wgmma_host() {
  using Tile = WgmmaTileOf<Kernel>;
  return {Kernel::kName,
          wgmma_facts<Kernel>(),
          Kernel::kTypes,
          sizeof(typename Tile::A),
          Tile::kThreads,
          std::is_same_v<typename Tile::A, float>,
          Kernel::kShape.speed,
          Kernel::resources,
          wgmma_plain_functions<Kernel>()};
}

template <class Kernel>
struct WgmmaWhole {
  static void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
    wgmma_workspace(wgmma_facts<Kernel>(), problem, scratch, zeroed);
  }
  static double predict_us(const gpuopt_problem *problem) { return wgmma_predict_us(wgmma_host<Kernel>(), problem); }
  static gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    return wgmma_prepare(wgmma_host<Kernel>(), problem, launch);
  }
  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    return wgmma_launch(wgmma_host<Kernel>(), problem, launch);
  }
};

template <class Kernel, size_t N>
constexpr gpuopt_kernel wgmma_kernel(const gpuopt_signature (&signatures)[N], int version = 2,
                                     const char *aliases = nullptr) {
  gpuopt_kernel kernel = gemm_descriptor(Kernel::kName, Kernel::kShape.summary);
  kernel.version = version;
  kernel.aliases = aliases;
  // Of fp8, kernels whose sums are moved to fp32 are those of every number of rows. Whether an operand goes in parts all rows
  // decide.
  using Tile = WgmmaTileOf<Kernel>;
  if (!Tile::kSplit && (sizeof(typename Tile::B) != 1 || wgmma_facts<Kernel>().exact || Tile::kPromotes))
    kernel.understands |= GPUOPT_FEATURE_BATCH_INVARIANT;
  if constexpr (Tile::kSplit) kernel.data_paths = Kernel::kDataPaths;
  if (wgmma_takes_scales<Kernel>(WgmmaScaled::by_blocks)) kernel.understands |= GPUOPT_FEATURE_BLOCK_SCALES;
  kernel.cc_min = kernel.cc_exact = 90;
  set_signatures(kernel, signatures);
  kernel.can_run = [](const gpuopt_problem *problem, gpuopt_reject *reject) {
    return wgmma_can_run(wgmma_facts<Kernel>(), problem, reject);
  };
  using Whole = WgmmaWhole<Kernel>;
  set_functions_in_parts<Whole::workspace, Whole::predict_us, Whole::prepare, Whole::launch>(kernel);
  set_resources(kernel, Kernel::resources);
  return kernel;
}

}  // namespace gpuopt
