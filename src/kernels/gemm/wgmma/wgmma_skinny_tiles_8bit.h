// The tiles of few rows or columns of fp8 and i8; the kernel is compiled for them in common/wgmma_skinny_tiles_8bit.cu.
#pragma once

#include "gemm/wgmma/wgmma_skinny_entry.h"

namespace gpuopt {

template <class Many, class Few, int M, int N, bool AlongFew>
using SkinnyTileFp8 = WgmmaSkinnyTile<Many, Few, M, N, AlongFew, true>;
template <class Many, class Few, int M, int N, bool AlongFew>
using SkinnyTileI8 = WgmmaSkinnyTile<Many, Few, M, N, AlongFew, false>;

}  // namespace gpuopt
