// The list kernel on the host: its tiles, which one serves, and how it is launched (common/list_mma.cu).
#pragma once

#include <cmath>

#include "gemm_grouped/mma/list_mma_entry.h"

namespace gpuopt {

struct ListTileFacts {
  int32_t rows, cols, depth, blocks;  // blocks of a multiprocessor
};
template <class Tile>
constexpr ListTileFacts kListTileFacts = {Tile::kM, Tile::kN, Tile::kDepth, Tile::kBlocks};
constexpr ListTileFacts kListTiles[] = {kListTileFacts<ListTile16x64<__half>>, kListTileFacts<ListTile64x64<__half>>,
                                        kListTileFacts<ListTile128x128<__half>>};
// The one for products of so many rows: the largest only where there is one for each multiprocessor.
inline int list_tile_for(const gpuopt_problem &p, double rows) {
  if (rows <= 64) return rows <= 16 ? 0 : 1;
  const ListTileFacts &largest = kListTiles[2];
  const double tiles =
      static_cast<double>(p.batch) * std::ceil(rows / largest.rows) * static_cast<double>(ceil_div(p.n, largest.cols));
  return tiles <= static_cast<double>(p.device->sm_count) ? 1 : 2;
}

// Whether alpha, and a C like D, are all that is done to sums.
inline bool list_is_plain(const gpuopt_problem &p) {
  const gpuopt_matrix &c = p.operand[GPUOPT_OPERAND_C].m, &d = p.operand[GPUOPT_OPERAND_D].m;
  const bool reads_c = (p.features & GPUOPT_FEATURE_BETA) != 0;
  return p.stage_count == 0 && (!reads_c || (c.dtype == d.dtype && c.layout == GPUOPT_ROW));
}

// functions: of each of kListTiles four: f16, then bf16, each with B's rows, then its columns contiguous.
gpuopt_status list_mma_prepare(const char *name, const gpuopt_resource *functions, const gpuopt_problem *problem,
                               const gpuopt_launch *launch);
gpuopt_status list_mma_launch(const char *name, const gpuopt_resource *functions, const gpuopt_problem *problem,
                              const gpuopt_launch *launch);

}  // namespace gpuopt
