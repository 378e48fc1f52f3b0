// The tiles of fp32 products in parts; the kernel is compiled for them in common/wgmma_tiles_f32_tensor.cu.
#pragma once

#include "gemm/wgmma/wgmma_entry.h"

namespace gpuopt {

using TileF32Tensor128x128 = WgmmaTile<WgmmaParts, WgmmaParts, 128, 128, 6, false, true>;
using TileF32Tensor128x192 = WgmmaTile<WgmmaParts, WgmmaParts, 128, 192, 4, false, true>;

}  // namespace gpuopt
