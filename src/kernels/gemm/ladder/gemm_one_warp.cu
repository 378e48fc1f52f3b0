// gemm_one_warp, gemm_one_warp_double: a block of one warp computes 32 x 32, 8 x 4 sums a thread, with one pair of tiles in
// shared memory and with two.
//
// Idea and data movement: the register blocking of a well-known teaching text in its own measure: tiles of 32 x 32, 8 KB of
// shared memory a block of 32 threads. gemm_one_warp_double keeps the next pair of tiles on its way during the product, which
// takes 16 KB and 64 registers a thread more. The text found it two times slower, and blamed the resources: 48 KB a
// multiprocessor hold 6 blocks of the one and 3 of the other.
//
// Needs: fp32. Counterparts: each other; gemm_regblock_8x4, which has the same sums a thread in blocks of 256.
// Prediction: registers limit both on Hopper before its 227 KB of shared memory do: 20 blocks and 12, so occupancy falls from
// 31 % to 19 %, as the text says of its 6 and 3; but a block has one warp, which waits for itself alone: what the other blocks
// hid, the second pair of tiles hides now. Nearer to the same speed than to a half.
// arch class: teaching

#include "gemm/common/plain_gemm.cuh"
#include "gemm/ladder/panel.cuh"

namespace gpuopt {

constexpr int kOneWarpTile = 32, kOneWarpThreads = 32, kOneWarpRows = 8, kOneWarpCols = 4;
constexpr int kOneWarpLanesM = kOneWarpTile / kOneWarpRows, kOneWarpLanesN = kOneWarpTile / kOneWarpCols;
using OneWarpPanel = Panel<kOneWarpTile, kOneWarpTile>;

__device__ __forceinline__ void multiply_one_warp(const OneWarpPanel &a, const OneWarpPanel &b, int y, int x,
                                                  float (&acc)[kOneWarpRows][kOneWarpCols]) {
#pragma unroll 8
  for (int step = 0; step < kOneWarpTile; ++step) {
    float left[kOneWarpRows], right[kOneWarpCols];
#pragma unroll
    for (int e = 0; e < kOneWarpRows; ++e) left[e] = a[step][y + e * kOneWarpLanesM];
#pragma unroll
    for (int f = 0; f < kOneWarpCols; ++f) right[f] = b[step][x + f * kOneWarpLanesN];
#pragma unroll
    for (int e = 0; e < kOneWarpRows; ++e) {
#pragma unroll
      for (int f = 0; f < kOneWarpCols; ++f) acc[e][f] += left[e] * right[f];
    }
  }
}

template <int kBuffers>
__global__ void __launch_bounds__(kOneWarpThreads) gemm_one_warp_kernel(const __grid_constant__ PlainGemm<float> gemm) {
  using Reader = PanelReader<kOneWarpTile, kOneWarpTile, kOneWarpThreads>;
  __shared__ OneWarpPanel panel_a[kBuffers], panel_b[kBuffers];
  const int lane = threadIdx.x, x = lane % kOneWarpLanesN, y = lane / kOneWarpLanesN;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kOneWarpTile, col = tile.col * kOneWarpTile;
    const int rows = tile_extent(gemm.m, row, kOneWarpTile), cols = tile_extent(gemm.n, col, kOneWarpTile);
    Reader a(gemm.a, Side::kRowsOfA, tile.p, row), b(gemm.b, Side::kColsOfB, tile.p, col);

    float acc[kOneWarpRows][kOneWarpCols] = {};
    if constexpr (kBuffers == 1) {
      for (int64_t s = 0; s < gemm.k; s += kOneWarpTile) {
        const int depth = tile_extent(gemm.k, s, kOneWarpTile);
        a.bring(rows, depth, panel_a[0]);
        b.bring(cols, depth, panel_b[0]);
        __syncthreads();
        multiply_one_warp(panel_a[0], panel_b[0], y, x, acc);
        __syncthreads();
      }
    } else {
      if (gemm.k > 0) {
        const int depth = tile_extent(gemm.k, 0, kOneWarpTile);
        a.bring(rows, depth, panel_a[0]);
        b.bring(cols, depth, panel_b[0]);
      }
      __syncthreads();
      int now = 0;
      for (int64_t s = 0; s < gemm.k; s += kOneWarpTile) {
        float next_a[Reader::kCount], next_b[Reader::kCount];
        const int depth = tile_extent(gemm.k, s + kOneWarpTile, kOneWarpTile);  // of the next tiles; 0 or less: none
        if (depth > 0) {
          a.load(rows, depth, next_a);
          b.load(cols, depth, next_b);
        }
        multiply_one_warp(panel_a[now], panel_b[now], y, x, acc);
        now ^= 1;
        if (depth > 0) {  // this buffer's readers passed the barrier before the product just done
          a.store(next_a, panel_a[now]);
          b.store(next_b, panel_b[now]);
        }
        __syncthreads();
      }
    }
    store_apart<kOneWarpLanesM, kOneWarpLanesN>(gemm, tile, row, col, rows, cols, y, x, acc);
  }
}

namespace {

template <int kBuffers>
struct OneWarp {
  static constexpr const char *kName = kBuffers == 1 ? "gemm_one_warp" : "gemm_one_warp_double";
  static constexpr const char *kSummary = kBuffers == 1 ? "32 x 32 by one warp, 8 x 4 sums a thread, 8 KB of tiles"
                                                        : "gemm_one_warp with two pairs of tiles, 16 KB";
  static constexpr int kTileM = kOneWarpTile, kTileN = kOneWarpTile, kStripe = 8;
  static constexpr int kThreads = kOneWarpThreads, kDynamicSmem = 0;
  static constexpr auto kKernel = gemm_one_warp_kernel<kBuffers>;
};

constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<OneWarp<1>, false>(), plain_gemm_kernel<OneWarp<2>, false>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
