// The tiles of fp8 products; the kernel is compiled for them in common/wgmma_tiles_fp8_*.cu.
#pragma once

#include "gemm/wgmma/wgmma_entry.h"

namespace gpuopt {

template <class A, class B>
using TileFp8Shared128x256 = WgmmaTile<A, B, 128, 256, 4, false>;
template <class A, class B>
using TileFp8PingPong128x128 = WgmmaTile<A, B, 128, 128, 5, true>;
template <class A, class B>
using TileFp8PingPong128x192 = WgmmaTile<A, B, 128, 192, 4, true>;

}  // namespace gpuopt
