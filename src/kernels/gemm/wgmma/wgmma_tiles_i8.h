// The tiles of 8-bit integer products; the kernel is compiled for them in common/wgmma_tiles_i8.cu.
#pragma once

#include "gemm/wgmma/wgmma_entry.h"

namespace gpuopt {

using TileI8Shared128x256 = WgmmaTile<int8_t, int8_t, 128, 256, 4, false>;
using TileI8Shared128x192 = WgmmaTile<int8_t, int8_t, 128, 192, 4, false>;
using TileI8PingPong128x128 = WgmmaTile<int8_t, int8_t, 128, 128, 5, true>;

}  // namespace gpuopt
