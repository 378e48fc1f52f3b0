// The wgmma kernel for fp8 with fp32 sums, 128 x 128 tiles, with scales of blocks, of B one a column.
// arch class: sm90a
#include "gemm/wgmma/wgmma_tiles_fp8_promoting.h"

#include "gemm/wgmma/wgmma_column_scales.cuh"
#include "gemm/wgmma/wgmma_fold.cuh"
#include "gemm/wgmma/wgmma_kernel.cuh"
#include "gemm/wgmma/wgmma_promoting.cuh"

namespace gpuopt {

#define GPUOPT_PROMOTING_(A, B, scales) GPUOPT_WGMMA_INSTANCE(true, true, TileFp8Promoting128x128<A, B, scales>)
GPUOPT_FP8_MIXES(GPUOPT_PROMOTING_, WgmmaScaled::by_columns)

}  // namespace gpuopt
