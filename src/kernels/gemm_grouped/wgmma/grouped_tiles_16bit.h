// The tiles of grouped f16 and bf16 products; the kernel is compiled for them in common/grouped_tiles_f16.cu and _bf16.cu.
#pragma once

#include <algorithm>

#include "gemm_grouped/wgmma/grouped_entry.h"

namespace gpuopt {

template <class T>
struct GroupedWgmma {
  template <int kColumns>
  using Tile = WgmmaTile<T, T, 128, kColumns, kColumns == 128 ? 6 : 4, false>;
  static constexpr int kShared =
      kGroupedSlotBytes + std::max({Tile<grouped_columns(0)>::kShared, Tile<grouped_columns(1)>::kShared,
                                    Tile<grouped_columns(2)>::kShared});
  static_assert(kShared <= 227 * 1024, "what a block may have on sm_90");
};

}  // namespace gpuopt
