// The tiles of fp8 products with fp32 sums, without and with scales of blocks; the kernel is compiled for them in
// common/wgmma_tiles_fp8_promoting_*.cu. The scales of columns take a stage's place in shared memory.
#pragma once

#include "gemm/wgmma/wgmma_entry.h"

namespace gpuopt {

template <class A, class B, WgmmaScaled Scales = WgmmaScaled::no>
using TileFp8Promoting128x128 =
    WgmmaTile<A, B, 128, 128, Scales == WgmmaScaled::by_columns ? 5 : 6, false, true, Scales>;
template <class A, class B, WgmmaScaled Scales = WgmmaScaled::no>
using TileFp8Promoting256x128 = WgmmaTile<A, B, 256, 128, 4, false, true, Scales>;

template <class A, class B, WgmmaScaled Scales = WgmmaScaled::no>
using TileFp8Promoting192x128 = WgmmaTile<A, B, 192, 128, 4, false, true, Scales, 3>;

}  // namespace gpuopt
