// The wgmma kernel for fp8, 128 x 256 tiles.
// arch class: sm90a
#include "gemm/wgmma/wgmma_tiles_fp8.h"

#include "gemm/wgmma/wgmma_fold.cuh"
#include "gemm/wgmma/wgmma_kernel.cuh"

namespace gpuopt {

#define GPUOPT_FP8_(A, B, Tile) GPUOPT_WGMMA_INSTANCE(true, true, Tile<A, B>)
GPUOPT_FP8_MIXES(GPUOPT_FP8_, TileFp8Shared128x256)

}  // namespace gpuopt
