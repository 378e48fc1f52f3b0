// The wgmma kernel for fp8.
// arch class: sm90a
#include "gemm/wgmma/wgmma_tiles_fp8.h"

#include "gemm/wgmma/wgmma_kernel.cuh"

namespace gpuopt {

#define GPUOPT_FP8_INSTANCES_(Tile)                                     \
  GPUOPT_WGMMA_INSTANCE(true, true, Tile<__nv_fp8_e4m3, __nv_fp8_e4m3>) \
  GPUOPT_WGMMA_INSTANCE(true, true, Tile<__nv_fp8_e4m3, __nv_fp8_e5m2>) \
  GPUOPT_WGMMA_INSTANCE(true, true, Tile<__nv_fp8_e5m2, __nv_fp8_e4m3>) \
  GPUOPT_WGMMA_INSTANCE(true, true, Tile<__nv_fp8_e5m2, __nv_fp8_e5m2>)
GPUOPT_FP8_INSTANCES_(TileFp8Shared128x256)
GPUOPT_FP8_INSTANCES_(TileFp8Shared128x192)
GPUOPT_FP8_INSTANCES_(TileFp8PingPong128x128)

}  // namespace gpuopt
