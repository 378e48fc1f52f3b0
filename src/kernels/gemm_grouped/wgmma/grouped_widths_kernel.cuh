// The kernel of groups whose tiles have the width that suits them: the device takes one of three.
#pragma once

#include "gemm_grouped/wgmma/grouped_wgmma_kernel.cuh"

namespace gpuopt {

// The width of tiles with which the rounds that all blocks make together take least: where there are few tiles, narrower ones
// leave fewer blocks idle in the last round. All lanes of a warp ask together, and all warps of a launch find the same.
template <int kRows>
__device__ __forceinline__ int grouped_width(const GroupedWork &work) {
  uint32_t rows = 0;
  for (int32_t group = static_cast<int32_t>(threadIdx.x % 32); group < work.groups; group += 32)
    rows += grouped_row_tiles<kRows>(static_cast<int32_t>(work.offsets.at(group)),
                                     static_cast<int32_t>(work.offsets.at(group + 1)));
  rows = __reduce_add_sync(0xffffffffu, rows);
  int best = 0;
  float least = 0;
#pragma unroll
  for (int i = 0; i < kGroupedWidths; ++i) {
    const uint32_t tiles = rows * static_cast<uint32_t>((work.n + grouped_columns(i) - 1) / grouped_columns(i));
    const float clocks = static_cast<float>((tiles + gridDim.x - 1) / gridDim.x) * work.width_clocks[i];
    if (i == 0 || clocks < least) {
      best = i;
      least = clocks;
    }
  }
  return grouped_same(best);
}

template <template <int> class Tile, bool kAlongB>
__global__ void __launch_bounds__(Tile<kGroupedWidest>::kThreads, 1)
    gemm_grouped_wgmma_widths_kernel(const __grid_constant__ CUtensorMap map_a,
                                     const __grid_constant__ CUtensorMap map_b,
                                     const __grid_constant__ CUtensorMap map_d,
                                     const __grid_constant__ GroupedWork work,
                                     const __grid_constant__ GemmEpilogue<float> epilogue) {
#if __CUDA_ARCH__ >= 900
  char *const shared = grouped_shared();
  wait_for_stream();
  const int width = grouped_width<Tile<kGroupedWidest>::kM>(work);
  if (width == 0)
    grouped_tiles<Tile<grouped_columns(0)>, kAlongB>(shared, map_a, map_b, map_d, work, epilogue);
  else if (width == 1)
    grouped_tiles<Tile<grouped_columns(1)>, kAlongB>(shared, map_a, map_b, map_d, work, epilogue);
  else
    grouped_tiles<Tile<grouped_columns(2)>, kAlongB>(shared, map_a, map_b, map_d, work, epilogue);
#endif
}

}  // namespace gpuopt
