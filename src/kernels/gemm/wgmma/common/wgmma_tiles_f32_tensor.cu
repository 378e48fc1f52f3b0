// The wgmma kernel for fp32 in parts.
// arch class: sm90a
#include "gemm/wgmma/wgmma_tiles_f32_tensor.h"

#include "gemm/wgmma/wgmma_fold.cuh"
#include "gemm/wgmma/wgmma_kernel.cuh"
#include "gemm/wgmma/wgmma_promoting.cuh"
#include "gemm/wgmma/wgmma_unscale.cuh"

namespace gpuopt {

GPUOPT_WGMMA_INSTANCE(true, true, TileF32Tensor128x128)
GPUOPT_WGMMA_INSTANCE(true, true, TileF32Tensor128x192)

}  // namespace gpuopt
