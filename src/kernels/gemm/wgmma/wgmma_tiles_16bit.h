// The tiles of f16 and bf16 products; the kernel is compiled for them in common/wgmma_tiles_16bit_*.cu.
#pragma once

#include "gemm/wgmma/wgmma_entry.h"

namespace gpuopt {

template <class T>
using Tile16BitShared128x256 = WgmmaTile<T, T, 128, 256, 4, false>;
template <class T>
using Tile16BitShared128x192 = WgmmaTile<T, T, 128, 192, 4, false>;
template <class T>
using Tile16BitShared128x64 = WgmmaTile<T, T, 128, 64, 8, false>;
template <class T>
using Tile16BitPingPong128x128 = WgmmaTile<T, T, 128, 128, 5, true>;
template <class T>
using Tile16BitPingPong128x192 = WgmmaTile<T, T, 128, 192, 4, true>;

}  // namespace gpuopt
