// What a wgmma kernel is on the host: facts of its tile, its speed, its functions. All that it does there follows from them
// (common/wgmma_launch.cpp).
#pragma once

#include <type_traits>

#include "gemm/wgmma/wgmma_block_scales.h"
#include "gemm/wgmma/wgmma_boxes.h"
#include "gpuopt/kernel.h"

namespace gpuopt {

// Extents, coordinates and numbers of tiles are 32-bit inside, with room for a tile more; a pitch has 40 bits.
constexpr int64_t kWgmmaMost = (int64_t{1} << 31) - 4096, kWgmmaMostPitch = (int64_t{1} << 40) - 16;

inline WgmmaScaled wgmma_scales_of(const gpuopt_problem &problem) {
  if ((problem.features & GPUOPT_FEATURE_BLOCK_SCALES) == 0) return WgmmaScaled::no;
  const bool by_columns = problem.operand[GPUOPT_OPERAND_B].m.scales.block == GPUOPT_SCALE_128X1;
  return by_columns ? WgmmaScaled::by_columns : WgmmaScaled::by_blocks;
}

// Tiles that take less time: none, those of which no more than half of the rows exist, those with few columns, too.
enum class WgmmaLittle { none, rows, both };
constexpr int64_t wgmma_little_rows(WgmmaLittle little, int64_t rows) {
  return little == WgmmaLittle::none ? 0 : rows / 2;
}
constexpr int wgmma_little_columns(WgmmaLittle little) { return little == WgmmaLittle::both ? kWgmmaNarrow : 0; }

struct WgmmaTypes {
  int32_t a, b;
};
// Of operands: the pairs of a kernel, and whether they may lie along m or n.
struct Wgmma16BitTypes {
  static constexpr WgmmaTypes kTypes[] = {{GPUOPT_F16, GPUOPT_F16}, {GPUOPT_BF16, GPUOPT_BF16}};
  static constexpr bool kAnyLayout = true;
};
struct WgmmaFp8Types {
  static constexpr WgmmaTypes kTypes[] = {
      {GPUOPT_E4M3, GPUOPT_E4M3}, {GPUOPT_E4M3, GPUOPT_E5M2}, {GPUOPT_E5M2, GPUOPT_E4M3}, {GPUOPT_E5M2, GPUOPT_E5M2}};
  static constexpr bool kAnyLayout = false;
};
struct WgmmaI8Types {
  static constexpr WgmmaTypes kTypes[] = {{GPUOPT_I8, GPUOPT_I8}};
  static constexpr bool kAnyLayout = false;
};
// Of a kernel's tile: extents, k of a stage; sums are exact integers; operands may lie along m or n; its store has chains, and
// those matrices; a matrix may come through the ring (wgmma_fold.cuh).
struct WgmmaFacts {
  int m, n, depth;
  bool ping_pong, exact, any_layout, chains, matrices;
  bool splits;  // fp32 operands come in parts (f32_split.h)
  bool folds;
  int sharers;  // warpgroups that have a tile together
  WgmmaLittle little = WgmmaLittle::none;
  bool narrows = false;         // tiles may have fewer columns (wgmma_widths)
  bool plain_ends = false;      // fp32 goes by panels alone
  bool scales_columns = false;  // scales of blocks may be of one column of B each
  bool scaled_folds = false;    // of products with scales of blocks: such a matrix may come; they have no chains
};
// What the time of a tile is predicted by beside its facts: of a call that multiplies nothing; and how much longer than the
// tensor cores those multiply that add sums up in fp32, without and with scales of blocks. NULL: they do not.
struct WgmmaSpeed {
  const double *start_us;
  const double *factor = nullptr, *scaled_factor = nullptr;
};
WgmmaSpeed wgmma_shared_128x256_speed();
WgmmaSpeed wgmma_shared_128x192_speed();
WgmmaSpeed wgmma_shared_128x64_speed();
WgmmaSpeed wgmma_pingpong_128x192_speed();
WgmmaSpeed wgmma_pingpong_128x128_speed();
WgmmaSpeed wgmma_promoting_128x128_speed();
WgmmaSpeed wgmma_promoting_256x128_speed();
WgmmaSpeed wgmma_promoting_192x128_speed();
WgmmaSpeed wgmma_split_128x128_speed();
WgmmaSpeed wgmma_split_128x192_speed();

// A kernel (a struct) names its FirstTile, whose extents are those of all types, kTypes, kAnyLayout, kShape, and
// resources: for each pair of types in order its functions, one or, with kAnyLayout, four; then, where it takes scales
// of blocks, the same for products that have them, in the order of WgmmaScaled.
template <class Kernel>
using WgmmaTileOf = typename Kernel::FirstTile;

template <class Kernel>
constexpr size_t wgmma_plain_functions() {
  return std::extent_v<decltype(Kernel::kTypes)> * (Kernel::kAnyLayout ? 4 : 1);
}
template <class Kernel>
constexpr bool wgmma_takes_scales(WgmmaScaled scales) {
  return std::extent_v<decltype(Kernel::resources)> > static_cast<size_t>(scales) * wgmma_plain_functions<Kernel>();
}

template <class Kernel>
constexpr WgmmaFacts wgmma_facts() {
  using Tile = WgmmaTileOf<Kernel>;
  return {Tile::kM,
          Tile::kN,
          Tile::kDepth,
          Tile::kPingPong,
          Tile::kExact,
          Kernel::kAnyLayout,
          Tile::kChains,
          Tile::kMatrices,
          Tile::kSplit,
          Tile::kFolds,
          Tile::kSharers,
          Tile::kEdges ? Tile::kPromotes ? WgmmaLittle::rows : WgmmaLittle::both : WgmmaLittle::none,
          Tile::kNarrows,
          Tile::kPlainEnds,
          wgmma_takes_scales<Kernel>(WgmmaScaled::by_columns),
          !Tile::kFull && !Tile::kExact};
}

struct WgmmaHost {
  const char *name;
  WgmmaFacts tile;
  const WgmmaTypes *types;
  int element_bytes, threads;
  bool tf32;
  WgmmaSpeed (*speed)();
  const gpuopt_resource *functions;
  size_t plain_functions;
};
int wgmma_can_run(const WgmmaFacts &tile, const gpuopt_problem *problem, gpuopt_reject *reject);
void wgmma_workspace(const WgmmaFacts &tile, const gpuopt_problem *problem, size_t *scratch, size_t *zeroed);
double wgmma_predict_us(const WgmmaHost &kernel, const gpuopt_problem *problem);
gpuopt_status wgmma_prepare(const WgmmaHost &kernel, const gpuopt_problem *problem, const gpuopt_launch *launch);
gpuopt_status wgmma_launch(const WgmmaHost &kernel, const gpuopt_problem *problem, const gpuopt_launch *launch);

}  // namespace gpuopt
