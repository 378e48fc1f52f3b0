// The shapes of the warptile kernels and what was measured of each.
#ifndef GPUOPT_KERNELS_GEMM_WARPTILE_SHAPES_CUH
#define GPUOPT_KERNELS_GEMM_WARPTILE_SHAPES_CUH

#include "gemm/warptile_launch.cuh"

namespace gpuopt {

// Rows and columns of the tile; steps of k of a warp; warps along m, n and k; lanes along m; stages; blocks an SM
// holds; parts of copies by 16 and by 4 bytes where these are endless.
using WarpTile128x256 = WarpTileShape<128, 256, 8, 2, 4, 1, 4, 4, 1>;
using WarpTile256x128 = WarpTileShape<256, 128, 8, 4, 2, 1, 4, 4, 1>;
using WarpTile128x128 = WarpTileShape<128, 128, 8, 2, 2, 1, 4, 4, 2>;
using WarpTile64x128 = WarpTileShape<64, 128, 8, 1, 2, 2, 4, 3, 2, 4, 3>;
using WarpTile64x64 = WarpTileShape<64, 64, 8, 1, 1, 4, 4, 3, 2, 4, 3>;
using WarpTile16x128 = WarpTileShape<16, 128, 8, 1, 1, 4, 1, 4, 2>;
using WarpTile128x16 = WarpTileShape<128, 16, 8, 1, 1, 4, 8, 4, 2>;

template <class Shape>
constexpr WarptileFigures warptile_figures(double tn, double nn, double tt, double nt, double alone) {
  return {Shape::kM, Shape::kN, Shape::kDepth, Shape::kBlocks, {tn, nn, tt, nt}, alone};
}

// On an H200 at 4096^3 (64 x 64: at 1024^3), tn nn tt nt, and at one tile an SM (2026-11-21).
constexpr WarptileFigures kFigures128x256 = warptile_figures<WarpTile128x256>(0.825, 0.774, 0.744, 0.743, 1);
constexpr WarptileFigures kFigures256x128 = warptile_figures<WarpTile256x128>(0.826, 0.747, 0.768, 0.734, 1);
constexpr WarptileFigures kFigures128x128 = warptile_figures<WarpTile128x128>(0.824, 0.774, 0.782, 0.727, 0.9);
constexpr WarptileFigures kFigures64x128 = warptile_figures<WarpTile64x128>(0.806, 0.78, 0.76, 0.731, 0.86);
constexpr WarptileFigures kFigures64x64 = warptile_figures<WarpTile64x64>(0.745, 0.69, 0.68, 0.615, 0.81);
constexpr WarptileFigures kFigures16x128 = warptile_figures<WarpTile16x128>(0.573, 0.539, 0.41, 0.391, 0.7);
constexpr WarptileFigures kFigures128x16 = warptile_figures<WarpTile128x16>(0.56, 0.4, 0.52, 0.39, 0.7);

}  // namespace gpuopt

#endif
