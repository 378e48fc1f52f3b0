// The wgmma kernel for tf32.
// arch class: sm90a
#include "gemm/wgmma/wgmma_tiles_tf32.h"

#include "gemm/wgmma/wgmma_fold.cuh"
#include "gemm/wgmma/wgmma_kernel.cuh"

namespace gpuopt {

GPUOPT_WGMMA_INSTANCE(true, true, TileTf32Shared128x256)
GPUOPT_WGMMA_INSTANCE(true, true, TileTf32Shared128x192)

}  // namespace gpuopt
