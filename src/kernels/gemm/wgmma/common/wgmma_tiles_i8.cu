// The wgmma kernel for 8-bit integers.
// arch class: sm90a
#include "gemm/wgmma/wgmma_tiles_i8.h"

#include "gemm/wgmma/wgmma_exact.cuh"
#include "gemm/wgmma/wgmma_kernel.cuh"

namespace gpuopt {

GPUOPT_WGMMA_INSTANCE(true, true, TileI8Shared128x256)
GPUOPT_WGMMA_INSTANCE(true, true, TileI8Shared128x192)
GPUOPT_WGMMA_INSTANCE(true, true, TileI8PingPong128x128)

}  // namespace gpuopt
