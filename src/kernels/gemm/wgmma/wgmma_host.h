// What a wgmma kernel is on the host: facts of its tile, its speed, its functions. All that it does there follows from them
// (common/wgmma_launch.cu).
#pragma once

#include <type_traits>

#include "gpuopt/kernel.h"

namespace gpuopt {

struct WgmmaTypes {
  int32_t a, b;
};
// Of a kernel's tile: extents, k of a stage; sums are exact integers; operands may lie along m or n; its store has chains, and
// those matrices.
struct WgmmaFacts {
  int m, n, depth;
  bool ping_pong, exact, any_layout, chains, matrices;
  bool splits;  // fp32 operands come in parts (wgmma_split.h)
};
struct WgmmaSpeed {
  const double *start_us, *end_clocks, *stage_clocks;
};
WgmmaSpeed wgmma_shared_128x256_speed();
WgmmaSpeed wgmma_shared_128x192_speed();
WgmmaSpeed wgmma_shared_128x64_speed();
WgmmaSpeed wgmma_pingpong_128x192_speed();
WgmmaSpeed wgmma_pingpong_128x128_speed();
WgmmaSpeed wgmma_promoting_128x128_speed();
WgmmaSpeed wgmma_promoting_256x128_speed();
WgmmaSpeed wgmma_split_128x128_speed();
WgmmaSpeed wgmma_split_128x192_speed();

// A kernel (a struct of its file) names its FirstTile, whose extents are those of all types, kTypes (pairs of operand types),
// kAnyLayout (operands may lie along m or n), speed, and resources: for each pair of types in order its functions, one or, with
// kAnyLayout, four.
template <class Kernel>
using WgmmaTileOf = typename Kernel::FirstTile;

template <class Kernel>
constexpr WgmmaFacts wgmma_facts() {
  using Tile = WgmmaTileOf<Kernel>;
  return {
      Tile::kM,           Tile::kN,      Tile::kDepth,    Tile::kPingPong, std::is_same_v<typename Tile::Sum, int32_t>,
      Kernel::kAnyLayout, Tile::kChains, Tile::kMatrices, Tile::kSplit};
}

struct WgmmaHost {
  const char *name;
  WgmmaFacts tile;
  const WgmmaTypes *types;
  int element_bytes, threads, shared;
  bool tf32;
  WgmmaSpeed (*speed)();
  const gpuopt_resource *functions;
};
int wgmma_can_run(const WgmmaFacts &tile, const gpuopt_problem *problem, gpuopt_reject *reject);
void wgmma_workspace(const WgmmaFacts &tile, const gpuopt_problem *problem, size_t *scratch, size_t *zeroed);
double wgmma_predict_us(const WgmmaHost &kernel, const gpuopt_problem *problem);
gpuopt_status wgmma_prepare(const WgmmaHost &kernel, const gpuopt_problem *problem, const gpuopt_launch *launch);
gpuopt_status wgmma_launch(const WgmmaHost &kernel, const gpuopt_problem *problem, const gpuopt_launch *launch);

}  // namespace gpuopt
