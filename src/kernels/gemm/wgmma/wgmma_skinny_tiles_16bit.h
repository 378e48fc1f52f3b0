// The tiles of few rows or columns of f16 and bf16; the kernel is compiled for them in common/wgmma_skinny_tiles_16bit.cu.
#pragma once

#include "gemm/wgmma/wgmma_skinny_entry.h"

namespace gpuopt {

template <class Many, class Few, int M, int N, bool AlongFew>
using SkinnyTile16Bit = WgmmaSkinnyTile<Many, Few, M, N, AlongFew, false>;

}  // namespace gpuopt
