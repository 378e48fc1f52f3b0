// gemm_unrolled, gemm_unrolled_1: the inner loop of a tile written out eight steps at a time, and its counterpart as
// a true loop.
//
// Idea and data movement: gemm_tiled_32's tiles and sums, four a thread. A step of k is nine instructions of work,
// one read of B, four of A, four multiply-adds; as a loop it also counts, compares and jumps, and the next step's
// reads wait for the jump. Written out, the loop's instructions go, and, which is worth more, the compiler sees
// several steps at once: A's tile lies with k contiguous (rows of 36 words keep them on 16-byte boundaries), so the
// reads of four steps become one of 16 bytes: 20 reads for 16 multiply-adds become 8. Four steps would do for that;
// all 32 gain nothing more, and unless registers are capped (100 a thread, 2 blocks an SM) they lose a quarter.
//
// Needs: fp32. Counterpart: gemm_unrolled_1, the same source with "unroll 1".
// Prediction: gemm_tiled_32's bound by reads of shared memory, 20 for 16 multiply-adds, or 8 once they merge.
// arch class: teaching

#include "gemm/common/plain_gemm.cuh"
#include "gemm/ladder/figures.h"
#include "gemm/ladder/panel.cuh"

namespace gpuopt {

constexpr int kUnrollTile = 32, kUnrollThreads = 256;
constexpr int kUnrollWarps = kUnrollThreads / 32, kUnrollRows = kUnrollTile / kUnrollWarps;  // rows a thread

template <int kUnroll>
__global__ void __launch_bounds__(kUnrollThreads, 4)
    gemm_unrolled_kernel(const __grid_constant__ PlainGemm<float> gemm) {
  using Reader = PanelReader<kUnrollTile, kUnrollTile, kUnrollThreads>;
  __shared__ alignas(16) float tile_a[kUnrollTile][kUnrollTile + 4];  // by rows: k is contiguous
  __shared__ Panel<kUnrollTile, kUnrollTile> panel_b;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kUnrollTile, col = tile.col * kUnrollTile;
    const int rows = tile_extent(gemm.m, row, kUnrollTile), cols = tile_extent(gemm.n, col, kUnrollTile);
    Reader a(gemm.a, Side::kRowsOfA, tile.p, row), b(gemm.b, Side::kColsOfB, tile.p, col);

    float acc[kUnrollRows][1] = {};
    for (int64_t s = 0; s < gemm.k; s += kUnrollTile) {
      const int depth = tile_extent(gemm.k, s, kUnrollTile);
      float from_a[Reader::kCount];
      a.load(rows, depth, from_a);
      a.store_by_rows(from_a, tile_a);
      b.bring(cols, depth, panel_b);
      __syncthreads();
#pragma unroll kUnroll
      for (int step = 0; step < kUnrollTile; ++step) {
        const float right = panel_b[step][lane];
#pragma unroll
        for (int e = 0; e < kUnrollRows; ++e) acc[e][0] += tile_a[warp + e * kUnrollWarps][step] * right;
      }
      __syncthreads();
    }

    store_apart<kUnrollWarps, 32>(gemm, tile, row, col, rows, cols, warp, lane, acc);
  }
}

namespace {

template <int kUnroll>
struct Unrolled {
  static constexpr const char *kName = kUnroll == 1 ? "gemm_unrolled_1" : "gemm_unrolled";
  static constexpr const char *kSummary = kUnroll == 1 ? "the counterpart of gemm_unrolled: a true inner loop"
                                                       : "32 x 32 tiles, the inner loop written out in full";
  static constexpr int kTileM = kUnrollTile, kTileN = kUnrollTile, kStripe = 8;
  static constexpr int kThreads = kUnrollThreads, kDynamicSmem = 0;
  static SimtGemmSpeed speed() {
    return kUnroll == 1 ? GPUOPT_LADDER_SPEED(unrolled_1, 4) : GPUOPT_LADDER_SPEED(unrolled, 4);
  }
  static constexpr auto kKernel = gemm_unrolled_kernel<kUnroll>;
};

constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<Unrolled<1>>(), plain_gemm_kernel<Unrolled<8>>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
