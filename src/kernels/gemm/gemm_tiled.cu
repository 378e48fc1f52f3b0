// gemm_tiled_32: tiles of A and B pass through shared memory, so each element is read from global memory once
// a tile instead of once a multiply-add.
//
// Idea and data movement: a block of 8 warps computes 32 x 32 elements of D, four a thread (rows warp, warp +
// 8, ... of column lane). For each 32 steps of k it brings a 32 x 32 tile of A and one of B to shared memory
// as accumulator type, lanes along the operand's contiguous dimension whatever its layout; rows of 33
// elements keep both directions free of bank conflicts. Then a step of k costs a thread one read of B and
// four broadcasts of A for four multiply-adds. Global traffic is 1/32 of gemm_naive's; its latency is hidden
// by other blocks only.
//
// Needs: nothing. Every layout, leading dimension, extent, batch, type, scale and stage.
// Measured: not yet measured.

#include "common/launch.h"
#include "common/simt_gemm.cuh"

namespace gpuopt {

constexpr int kTile = 32, kTileStripe = 8;
constexpr int kTileWarps = 8, kTileThreads = 32 * kTileWarps;
constexpr int kTilePerThread = kTile / kTileWarps;

// Brings rows x cols elements from (row, col) of matrix p to tile[0][0]..., zeros around them.
template <class Acc>
__device__ __forceinline__ void load_tile(const View &view, int64_t p, int64_t row, int64_t col, int64_t rows,
                                          int64_t cols, Acc (&tile)[kTile][kTile + 1]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool lanes_along_cols = view.col_step == 1;
  const int64_t lane_step = lanes_along_cols ? view.col_step : view.row_step;
  const int64_t warp_step = lanes_along_cols ? view.row_step : view.col_step;
  const int64_t lane_end = lanes_along_cols ? cols : rows;
  const int64_t warp_end = lanes_along_cols ? rows : cols;

  Acc x[kTilePerThread];
  with_gemm_dtype<Acc>(view.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *from =
        static_cast<const T *>(view.data) + view.offset(p, row, col) + lane * lane_step + warp * warp_step;
#pragma unroll
    for (int e = 0; e < kTilePerThread; ++e) {
      const bool inside = lane < lane_end && warp + e * kTileWarps < warp_end;
      x[e] = inside ? widen<Acc>(from[e * kTileWarps * warp_step]) : Acc(0);
    }
  });
#pragma unroll
  for (int e = 0; e < kTilePerThread; ++e) {
    const int along_warps = warp + e * kTileWarps;
    (lanes_along_cols ? tile[along_warps][lane] : tile[lane][along_warps]) = x[e];
  }
}

template <class Acc>
__global__ void __launch_bounds__(kTileThreads)
    gemm_tiled_32_kernel(const __grid_constant__ SimtGemm<Acc> gemm) {
  __shared__ Acc tile_a[kTile][kTile + 1], tile_b[kTile][kTile + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kTile, col = tile.col * kTile;

    Acc acc[kTilePerThread] = {};
    for (int64_t s = 0; s < gemm.k; s += kTile) {
      load_tile(gemm.a, tile.p, row, s, gemm.m - row, gemm.k - s, tile_a);
      load_tile(gemm.b, tile.p, s, col, gemm.k - s, gemm.n - col, tile_b);
      __syncthreads();
#pragma unroll 8
      for (int step = 0; step < kTile; ++step) {
        const Acc b = tile_b[step][lane];
#pragma unroll
        for (int e = 0; e < kTilePerThread; ++e) {
          acc[e] = multiply_add(tile_a[warp + e * kTileWarps][step], b, acc[e]);
        }
      }
      __syncthreads();
    }

    const int64_t i = row + warp, j = col + lane;
    if (i < gemm.m && j < gemm.n) {
      const int64_t left = ceil_div(gemm.m - i, kTileWarps);
      const int32_t count = left < kTilePerThread ? static_cast<int32_t>(left) : kTilePerThread;
      gemm_epilogue(gemm.epilogue, Run{tile.p, i, j, kTileWarps, 0, count}, acc);
    }
  }
}

namespace {

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_accumulator(*problem, [&](auto zero) {
    return load_kernel(launch, "gemm_tiled_32", gemm_tiled_32_kernel<decltype(zero)>);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const TileSpace tiles(problem->m, problem->n, problem->batch, kTile, kTile, kTileStripe);
  return with_accumulator(*problem, [&](auto zero) {
    using Acc = decltype(zero);
    return launch_kernel(launch, "gemm_tiled_32", tiles.blocks(), kTileThreads, 0, gemm_tiled_32_kernel<Acc>,
                         make_simt_gemm<Acc>(*problem, tiles));
  });
}

double predict_us(const gpuopt_problem *problem) {
  return simt_gemm_us(*problem, {kTile, kTile, 6, 36.0, 30.0});
}

const gpuopt_resource kResources[] = {
    {"_ZN6gpuopt20gemm_tiled_32_kernelIfEEvNS_8SimtGemmIT_EE", kTileThreads, 0,
     reinterpret_cast<const void *>(gemm_tiled_32_kernel<float>)},
    {"_ZN6gpuopt20gemm_tiled_32_kernelIdEEvNS_8SimtGemmIT_EE", kTileThreads, 0,
     reinterpret_cast<const void *>(gemm_tiled_32_kernel<double>)},
    {"_ZN6gpuopt20gemm_tiled_32_kernelIiEEvNS_8SimtGemmIT_EE", kTileThreads, 0,
     reinterpret_cast<const void *>(gemm_tiled_32_kernel<int32_t>)},
};

constexpr gpuopt_kernel gemm_tiled_32() {
  gpuopt_kernel kernel = simt_gemm_kernel("gemm_tiled_32", "32 x 32 tiles of A and B through shared memory");
  kernel.predict_us = predict_us;
  kernel.prepare = prepare;
  kernel.launch = launch;
  kernel.resources = kResources;
  kernel.resource_count = sizeof(kResources) / sizeof(kResources[0]);
  return kernel;
}
const gpuopt_kernel kKernels[] = {gemm_tiled_32()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
