// The wgmma kernel for few rows or columns of f16 and bf16.
// arch class: sm90a
#include "gemm/wgmma/wgmma_skinny_tiles_16bit.h"

#include "gemm/wgmma/wgmma_skinny_kernel.cuh"

namespace gpuopt {

#define GPUOPT_LAYOUTS_(many, few, m, n)                                      \
  GPUOPT_WGMMA_SKINNY_INSTANCE(true, SkinnyTile16Bit<many, few, m, n, true>)  \
  GPUOPT_WGMMA_SKINNY_INSTANCE(true, SkinnyTile16Bit<many, few, m, n, false>) \
  GPUOPT_WGMMA_SKINNY_INSTANCE(false, SkinnyTile16Bit<many, few, m, n, true>) \
  GPUOPT_WGMMA_SKINNY_INSTANCE(false, SkinnyTile16Bit<many, few, m, n, false>)
GPUOPT_WGMMA_SKINNY_16BIT_SHAPES(GPUOPT_LAYOUTS_, __half, __half)
GPUOPT_WGMMA_SKINNY_16BIT_SHAPES(GPUOPT_LAYOUTS_, __nv_bfloat16, __nv_bfloat16)

}  // namespace gpuopt
