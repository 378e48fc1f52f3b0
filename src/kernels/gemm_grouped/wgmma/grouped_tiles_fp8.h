// The tiles of grouped fp8 products; the kernel is compiled for them in common/grouped_tiles_fp8.cu.
#pragma once

#include "gemm_grouped/wgmma/grouped_entry.h"

namespace gpuopt {

using GroupedTileFp8x128 = WgmmaTile<__nv_fp8_e4m3, __nv_fp8_e4m3, 128, 128, 6, false, true, WgmmaScaled::by_blocks>;
struct GroupedTileFp8x256 : WgmmaTile<__nv_fp8_e4m3, __nv_fp8_e4m3, 256, 128, 4, false, true, WgmmaScaled::by_blocks> {
  static constexpr int kMathRegisters = 240, kCopyRegisters = 24;  // where a group's rows end takes some
};

}  // namespace gpuopt
