// The wgmma kernel for few rows or columns of fp8 and i8.
// arch class: sm90a
#include "gemm/wgmma/wgmma_skinny_tiles_8bit.h"

#include "gemm/wgmma/wgmma_promoting.cuh"
#include "gemm/wgmma/wgmma_skinny_kernel.cuh"

namespace gpuopt {

#define GPUOPT_FP8_(many, few, m, n) GPUOPT_WGMMA_SKINNY_INSTANCE(true, SkinnyTileFp8<many, few, m, n, true>)
#define GPUOPT_I8_(many, few, m, n) GPUOPT_WGMMA_SKINNY_INSTANCE(true, SkinnyTileI8<many, few, m, n, true>)
GPUOPT_WGMMA_SKINNY_SHAPES(GPUOPT_FP8_, __nv_fp8_e4m3, __nv_fp8_e4m3)
GPUOPT_WGMMA_SKINNY_SHAPES(GPUOPT_FP8_, __nv_fp8_e4m3, __nv_fp8_e5m2)
GPUOPT_WGMMA_SKINNY_SHAPES(GPUOPT_FP8_, __nv_fp8_e5m2, __nv_fp8_e4m3)
GPUOPT_WGMMA_SKINNY_SHAPES(GPUOPT_FP8_, __nv_fp8_e5m2, __nv_fp8_e5m2)
GPUOPT_WGMMA_SKINNY_SHAPES(GPUOPT_I8_, int8_t, int8_t)

}  // namespace gpuopt
