// The shapes of the warptile kernels: their figures, and where their code is.
//
// A shape's kernels are compiled in one file, common/warptile_<shape>.cu, whoever uses them.
#pragma once

#include "gemm/warptile/warptile_plan.h"

namespace gpuopt {

// Rows and columns of the tile; steps of k of a warp; warps along m, n and k; lanes along m; stages; blocks an SM
// holds; parts of copies by 16 and by 4 bytes where these are endless.
using WarpTile128x256 = WarpTileShape<128, 256, 8, 2, 4, 1, 4, 4, 1>;
using WarpTile128x128 = WarpTileShape<128, 128, 8, 2, 2, 1, 4, 4, 2>;
using WarpTile64x128 = WarpTileShape<64, 128, 8, 1, 2, 2, 4, 3, 2, 4, 3>;
using WarpTile64x64 = WarpTileShape<64, 64, 8, 1, 1, 4, 4, 3, 2, 4, 3>;
using WarpTile16x128 = WarpTileShape<16, 128, 8, 1, 1, 4, 1, 4, 2>;
using WarpTile128x16 = WarpTileShape<128, 16, 8, 1, 1, 4, 8, 4, 2>;

// The kernels of one shape, one for each width of the copies of A and of B.
struct WarptileCode {
  WarptileFigures (*figures)();
  gpuopt_status (*load)(const gpuopt_launch *launch, const char *name, int bytes_a, int bytes_b);
  // early: behind a kernel that allows its successor, see dependent_launch.cuh.
  gpuopt_status (*run)(const gpuopt_launch *launch, const char *name, int bytes_a, int bytes_b, const Warptile &w,
                       bool early);
};

#define GPUOPT_WARPTILE_SHAPE_(tile, can_stream)                                                                      \
  inline WarptileFigures warptile_figures_##tile() {                                                                  \
    using Shape = WarpTile##tile;                                                                                     \
    const GemmWarptileFigures &g = gemm_warptile_figures;                                                             \
    return {Shape::kM,                                                                                                \
            Shape::kN,                                                                                                \
            Shape::kDepth,                                                                                            \
            Shape::kBlocks,                                                                                           \
            can_stream,                                                                                               \
            {g.tile_##tile##_tn_share, g.tile_##tile##_nn_share, g.tile_##tile##_tt_share, g.tile_##tile##_nt_share}, \
            g.tile_##tile##_alone_share};                                                                             \
  }                                                                                                                   \
  extern const WarptileCode warptile_##tile;                                                                          \
  extern gpuopt_resource warptile_##tile##_resources[4];
GPUOPT_WARPTILE_SHAPE_(128x256, true)
GPUOPT_WARPTILE_SHAPE_(128x128, true)
GPUOPT_WARPTILE_SHAPE_(64x128, true)
GPUOPT_WARPTILE_SHAPE_(64x64, false)
GPUOPT_WARPTILE_SHAPE_(16x128, false)
GPUOPT_WARPTILE_SHAPE_(128x16, false)
#undef GPUOPT_WARPTILE_SHAPE_
extern gpuopt_resource warptile_skinny_resources[8];  // of 16x128, then of 128x16

}  // namespace gpuopt
