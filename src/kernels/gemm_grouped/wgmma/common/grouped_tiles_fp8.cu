// The grouped wgmma kernel for fp8.
// arch class: sm90a
#include "gemm_grouped/wgmma/grouped_tiles_fp8.h"

#include "gemm/wgmma/wgmma_promoting.cuh"
#include "gemm/wgmma/wgmma_scales.cuh"
#include "gemm_grouped/wgmma/grouped_wgmma_kernel.cuh"

namespace gpuopt {

GPUOPT_GROUPED_INSTANCE(gemm_grouped_wgmma_kernel, true, GroupedTileFp8x128)
GPUOPT_GROUPED_INSTANCE(gemm_grouped_wgmma_kernel, true, GroupedTileFp8x256)

}  // namespace gpuopt
