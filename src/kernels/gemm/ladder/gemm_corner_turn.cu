// gemm_corner_turn: gemm_naive, but a column-major B is read along its columns and transposed in shared memory.
//
// Idea and data movement: a warp holds 32 neighbours in a row of D, so each step of k wants 32 neighbours in a row of
// B. Where B is column-major they lie ld apart, 32 lines for 128 bytes of use, and gemm_naive pays that at every
// step. Here a block of 32 x 32 threads first brings a 32 x 32 tile of B with its lanes along whichever direction is
// contiguous, and writes it to shared memory transposed: rows of 33 words keep both directions free of bank conflicts. A
// is still read straight from global memory, an element for the whole warp, so nothing but B's path differs from
// gemm_naive.
//
// Needs: fp32. Counterpart: gemm_naive on a column-major B (nt, tt).
// Prediction: a shared read and a broadcast load a multiply-add: about a twelfth of the fp32 peak, in every layout of B.
// arch class: teaching

#include "gemm/common/plain_gemm.cuh"
#include "gemm/ladder/figures.h"
#include "gemm/ladder/panel.cuh"

namespace gpuopt {

constexpr int kTurnTile = 32, kTurnThreads = kTurnTile * kTurnTile;

__global__ void __launch_bounds__(kTurnThreads) gemm_corner_turn_kernel(const __grid_constant__ PlainGemm<float> gemm) {
  __shared__ Panel<kTurnTile, kTurnTile> panel_b;
  const int lane = threadIdx.x % kTurnTile, warp = threadIdx.x / kTurnTile;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t i = tile.row * kTurnTile + warp, col = tile.col * kTurnTile;
    const int cols = tile_extent(gemm.n, col, kTurnTile);
    PanelReader<kTurnTile, kTurnTile, kTurnThreads> b(gemm.b, Side::kColsOfB, tile.p, col);
    const int64_t step_a = gemm.a.col_step;
    // Threads below the last row help with B; their A is a row that exists.
    const float *a = static_cast<const float *>(gemm.a.data) + gemm.a.offset(tile.p, min(i, gemm.m - 1), 0);

    float sum = 0;
    for (int64_t s = 0; s < gemm.k; s += kTurnTile) {
      const int depth = tile_extent(gemm.k, s, kTurnTile);
      b.bring(cols, depth, panel_b);
      __syncthreads();
#pragma unroll 8
      for (int step = 0; step < depth; ++step) sum += a[step * step_a] * panel_b[step][lane];
      a += kTurnTile * step_a;
      __syncthreads();
    }
    if (i < gemm.m && lane < cols) gemm.out.store(gemm.out.scalars(), tile.p, i, col + lane, sum);
  }
}

namespace {

struct CornerTurn {
  static constexpr const char *kName = "gemm_corner_turn";
  static constexpr const char *kSummary = "a column-major B is read coalesced and transposed in shared memory";
  static constexpr int kTileM = kTurnTile, kTileN = kTurnTile, kStripe = 8;
  static constexpr int kThreads = kTurnThreads, kDynamicSmem = 0;
  static SimtGemmSpeed speed() { return GPUOPT_LADDER_SPEED(corner_turn, 2); }
  static constexpr auto kKernel = gemm_corner_turn_kernel;
};

constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<CornerTurn>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
