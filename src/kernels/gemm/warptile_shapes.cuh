// The shapes of the warptile kernels and what was measured of each.
#ifndef GPUOPT_KERNELS_GEMM_WARPTILE_SHAPES_CUH
#define GPUOPT_KERNELS_GEMM_WARPTILE_SHAPES_CUH

#include "gemm/warptile_launch.cuh"

namespace gpuopt {

// Rows and columns of the tile; steps of k of a warp; warps along m, n and k; lanes along m; stages; blocks an SM
// holds.
using WarpTile128x256 = WarpTileShape<128, 256, 8, 2, 4, 1, 4, 4, 1>;
using WarpTile256x128 = WarpTileShape<256, 128, 8, 4, 2, 1, 4, 4, 1>;
using WarpTile128x128 = WarpTileShape<128, 128, 8, 2, 2, 1, 4, 4, 2>;
using WarpTile64x128 = WarpTileShape<64, 128, 8, 1, 2, 2, 4, 3, 2>;
using WarpTile64x64 = WarpTileShape<64, 64, 8, 1, 1, 4, 4, 3, 2>;
using WarpTile16x128 = WarpTileShape<16, 128, 8, 1, 1, 4, 1, 4, 2>;
using WarpTile128x16 = WarpTileShape<128, 16, 8, 1, 1, 4, 8, 4, 2>;

template <class Shape>
constexpr WarptileFigures warptile_figures(double tn, double nn, double tt, double nt, double alone) {
  return {Shape::kM, Shape::kN, Shape::kDepth, Shape::kBlocks, {tn, nn, tt, nt}, alone};
}

// On an H200 at 4096^3, tn nn tt nt, and at one tile an SM (2026-11-21).
constexpr WarptileFigures kFigures128x256 = warptile_figures<WarpTile128x256>(0.777, 0.747, 0.718, 0.725, 1);
constexpr WarptileFigures kFigures256x128 = warptile_figures<WarpTile256x128>(0.786, 0.707, 0.742, 0.718, 1);
constexpr WarptileFigures kFigures128x128 = warptile_figures<WarpTile128x128>(0.778, 0.733, 0.727, 0.705, 0.9);
constexpr WarptileFigures kFigures64x128 = warptile_figures<WarpTile64x128>(0.757, 0.732, 0.712, 0.642, 0.84);
constexpr WarptileFigures kFigures64x64 = warptile_figures<WarpTile64x64>(0.664, 0.707, 0.713, 0.664, 0.81);
constexpr WarptileFigures kFigures16x128 = warptile_figures<WarpTile16x128>(0.56, 0.49, 0.41, 0.384, 0.7);
constexpr WarptileFigures kFigures128x16 = warptile_figures<WarpTile128x16>(0.54, 0.405, 0.52, 0.373, 0.7);

}  // namespace gpuopt

#endif
