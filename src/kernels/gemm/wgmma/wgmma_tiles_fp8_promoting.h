// The tiles of fp8 products with fp32 sums, without and with scales of blocks; the kernel is compiled for them in
// common/wgmma_tiles_fp8_promoting_*.cu. A stage's place in shared memory is taken by
// the scales of columns, and by the lines of chains where there are no scales.
#pragma once

#include "gemm/wgmma/wgmma_entry.h"

namespace gpuopt {

template <class A, class B, WgmmaScaled Scales = WgmmaScaled::no>
using TileFp8Promoting128x128 =
    WgmmaTile<A, B, 128, 128, Scales == WgmmaScaled::by_blocks ? 6 : 5, false, true, Scales>;
template <class A, class B, WgmmaScaled Scales = WgmmaScaled::no>
using TileFp8Promoting256x128 = WgmmaTile<A, B, 256, 128, 4, false, true, Scales>;

template <class A, class B, WgmmaScaled Scales = WgmmaScaled::no>
using TileFp8Promoting192x128 = WgmmaTile<A, B, 192, 128, 4, false, true, Scales, 3>;

}  // namespace gpuopt
