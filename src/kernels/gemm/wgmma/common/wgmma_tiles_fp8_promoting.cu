// The wgmma kernel for fp8 with fp32 sums.
// arch class: sm90a
#include "gemm/wgmma/wgmma_tiles_fp8_promoting.h"

#include "gemm/wgmma/wgmma_kernel.cuh"
#include "gemm/wgmma/wgmma_promoting.cuh"
#include "gemm/wgmma/wgmma_scales.cuh"

namespace gpuopt {

#define GPUOPT_FP8_INSTANCES_(Tile, scales)                                     \
  GPUOPT_WGMMA_INSTANCE(true, true, Tile<__nv_fp8_e4m3, __nv_fp8_e4m3, scales>) \
  GPUOPT_WGMMA_INSTANCE(true, true, Tile<__nv_fp8_e4m3, __nv_fp8_e5m2, scales>) \
  GPUOPT_WGMMA_INSTANCE(true, true, Tile<__nv_fp8_e5m2, __nv_fp8_e4m3, scales>) \
  GPUOPT_WGMMA_INSTANCE(true, true, Tile<__nv_fp8_e5m2, __nv_fp8_e5m2, scales>)
GPUOPT_FP8_INSTANCES_(TileFp8Promoting128x128, false)
GPUOPT_FP8_INSTANCES_(TileFp8Promoting128x128, true)
GPUOPT_FP8_INSTANCES_(TileFp8Promoting256x128, false)
GPUOPT_FP8_INSTANCES_(TileFp8Promoting256x128, true)
GPUOPT_FP8_INSTANCES_(TileFp8Promoting192x128, false)
GPUOPT_FP8_INSTANCES_(TileFp8Promoting192x128, true)

}  // namespace gpuopt
