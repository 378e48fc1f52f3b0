// The kernels, as the host names them: grouped_wgmma_kernel.cuh has their code.
#pragma once

#include <cuda.h>

#include "gemm/wgmma/wgmma_tile.cuh"
#include "gemm_grouped/wgmma/grouped_work.h"

namespace gpuopt {

template <class C>
struct GemmEpilogue;

// Tiles of the width that suits the groups: Tile<N> has N columns.
template <template <int> class Tile, bool kAlongB>
__global__ void gemm_grouped_wgmma_widths_kernel(const __grid_constant__ CUtensorMap map_a,
                                                 const __grid_constant__ CUtensorMap map_b,
                                                 const __grid_constant__ CUtensorMap map_d,
                                                 const __grid_constant__ GroupedWork work,
                                                 const __grid_constant__ GemmEpilogue<float> epilogue);
// Tiles of one width.
template <class Tile, bool kAlongB>
__global__ void gemm_grouped_wgmma_kernel(const __grid_constant__ CUtensorMap map_a,
                                          const __grid_constant__ CUtensorMap map_b,
                                          const __grid_constant__ CUtensorMap map_d,
                                          const __grid_constant__ GroupedWork work,
                                          const __grid_constant__ GemmEpilogue<float> epilogue);

// Compiles them for a tile, where grouped_wgmma_kernel.cuh is read.
#define GPUOPT_GROUPED_INSTANCE(kernel, along_b, ...)                                                                \
  template __global__ void kernel<__VA_ARGS__, along_b>(                                                             \
      const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap, \
      const __grid_constant__ GroupedWork, const __grid_constant__ GemmEpilogue<float>);

}  // namespace gpuopt
