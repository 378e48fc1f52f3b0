// The kernel of all tiles, as the host names it: wgmma_kernel.cuh has its code.
#pragma once

#include <cuda.h>

#include "gemm/wgmma/wgmma_results.h"
#include "gemm/wgmma/wgmma_tile.cuh"
#include "gemm/wgmma/wgmma_work.h"

namespace gpuopt {

template <class Tile, bool kAlongA, bool kAlongB>
__global__ void gemm_wgmma_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                                  const __grid_constant__ CUtensorMap map_fold,
                                  const __grid_constant__ CUtensorMap map_d, const __grid_constant__ WgmmaGemm gemm,
                                  const __grid_constant__ WgmmaStore store);

// Compiles it for a tile, where wgmma_kernel.cuh is read: operands along k, or either way.
#define GPUOPT_WGMMA_INSTANCE(a, b, ...)                                                                             \
  template __global__ void gemm_wgmma_kernel<__VA_ARGS__, a, b>(                                                     \
      const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap, \
      const __grid_constant__ CUtensorMap, const __grid_constant__ WgmmaGemm, const __grid_constant__ WgmmaStore);
#define GPUOPT_WGMMA_INSTANCES(...)               \
  GPUOPT_WGMMA_INSTANCE(true, true, __VA_ARGS__)  \
  GPUOPT_WGMMA_INSTANCE(true, false, __VA_ARGS__) \
  GPUOPT_WGMMA_INSTANCE(false, true, __VA_ARGS__) \
  GPUOPT_WGMMA_INSTANCE(false, false, __VA_ARGS__)

// Both types of fp8 as A and as B: X(A, B, what).
#define GPUOPT_FP8_MIXES(X, what)       \
  X(__nv_fp8_e4m3, __nv_fp8_e4m3, what) \
  X(__nv_fp8_e4m3, __nv_fp8_e5m2, what) \
  X(__nv_fp8_e5m2, __nv_fp8_e4m3, what) \
  X(__nv_fp8_e5m2, __nv_fp8_e5m2, what)

}  // namespace gpuopt
