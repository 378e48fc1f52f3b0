// The tiles of tf32 products; the kernel is compiled for them in common/wgmma_tiles_tf32.cu.
#pragma once

#include "gemm/wgmma/wgmma_entry.h"

namespace gpuopt {

using TileTf32Shared128x256 = WgmmaTile<float, float, 128, 256, 4, false>;
using TileTf32Shared128x192 = WgmmaTile<float, float, 128, 192, 4, false>;

}  // namespace gpuopt
