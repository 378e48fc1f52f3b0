// The wgmma kernel for f16 and bf16, 128 x 192 tiles.
// arch class: sm90a
#include "gemm/wgmma/wgmma_tiles_16bit.h"

#include "gemm/wgmma/wgmma_fold.cuh"
#include "gemm/wgmma/wgmma_kernel.cuh"

namespace gpuopt {

GPUOPT_WGMMA_INSTANCES(Tile16BitShared128x192<__half>)
GPUOPT_WGMMA_INSTANCES(Tile16BitShared128x192<__nv_bfloat16>)

}  // namespace gpuopt
