// The grouped wgmma kernel for f16.
// arch class: sm90a
#include "gemm_grouped/wgmma/grouped_tiles_16bit.h"

#include "gemm_grouped/wgmma/grouped_widths_kernel.cuh"

namespace gpuopt {

GPUOPT_GROUPED_INSTANCE(gemm_grouped_wgmma_widths_kernel, false, GroupedWgmma<__half>::Tile)
GPUOPT_GROUPED_INSTANCE(gemm_grouped_wgmma_widths_kernel, true, GroupedWgmma<__half>::Tile)

}  // namespace gpuopt
