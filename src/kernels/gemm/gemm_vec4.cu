// gemm_vec4: gemm_regblock_8x8 with every access 16 bytes wide, float4 from global and from shared memory.
//
// Idea and data movement: the sums and the traffic in bytes are gemm_regblock_8x8's; what shrinks is the number of
// instructions that move them. A thread brings its 8 elements of each panel by two loads instead of eight, and a step
// of k reads shared memory by four accesses instead of sixteen: 4 for 64 multiply-adds, which leaves 94 % of the
// issue slots to arithmetic. Wide reads need the threads' elements side by side, and side by side they must not fall
// into the same banks: quad_tile.cuh has the layout.
//
// Needs: fp32. Where lines of A or B do not start on multiples of 16 bytes, that operand is read element by element.
// Counterpart: gemm_regblock_8x8.
// Recorded (H200, 2026-11-21, single call, cold), nn: 142 us, 3.31 ms, 26.2 ms for 1024, 4096, 8192 cubed; 41.5 TFLOP/s
// at 4096, 0.81 of the best peer, 62 % of the fp32 peak. 128 registers leave 2 blocks an SM, 25 % occupancy, and yet a
// scheduler has 2.4 ready warps to choose from beside the one that issues (ncu, one run, not in a record): what is lost
// goes to register bank conflicts (dispatch stalls) and to the waits at each tile.
// arch class: teaching

#include "gemm/quad_tile.cuh"

namespace gpuopt {

__global__ void __launch_bounds__(kQuadThreads, 2) gemm_vec4_kernel(const __grid_constant__ PlainGemm<float> gemm) {
  __shared__ alignas(16) QuadPanel panel_a, panel_b;
  const QuadThread thread;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kQuadTile, col = tile.col * kQuadTile;
    const int rows = tile_extent(gemm.m, row, kQuadTile), cols = tile_extent(gemm.n, col, kQuadTile);
    VectorReader<float> a(gemm.a, Side::kRowsOfA, gemm.quads_a, tile.p, row);
    VectorReader<float> b(gemm.b, Side::kColsOfB, gemm.quads_b, tile.p, col);

    float acc[8][8] = {};
    for (int64_t s = 0; s < gemm.k; s += kQuadDepth) {
      const int depth = tile_extent(gemm.k, s, kQuadDepth);
      float from_a[VectorReader<float>::kCount], from_b[VectorReader<float>::kCount];
      a.load(rows, depth, from_a);
      b.load(cols, depth, from_b);
      a.store(from_a, panel_a);
      b.store(from_b, panel_b);
      __syncthreads();
      multiply_quads(panel_a, panel_b, thread, acc);
      __syncthreads();
    }
    store_quads(gemm, tile.p, row, col, thread, acc);
  }
}

namespace {

struct Vec4 {
  static constexpr const char *kName = "gemm_vec4";
  static constexpr const char *kSummary = "8 x 8 sums a thread, 16-byte accesses to global and shared memory";
  static constexpr int kTileM = kQuadTile, kTileN = kQuadTile, kStripe = 8;
  static constexpr int kThreads = kQuadThreads, kDynamicSmem = 0;
  static constexpr SimtGemmSpeed kSpeed = {kTileM, kTileN, 2, 158.0, 263.0};
  static auto kernel() { return gemm_vec4_kernel; }
};

gpuopt_resource kResources[] = {{kQuadThreads, 0, reinterpret_cast<const void *>(gemm_vec4_kernel)}};
constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<Vec4>(kResources)};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
