// The kernel of lists of f16 and bf16 products as the host names it: list_wgmma_kernel.cuh has its code. Its tiles are those of groups.
#pragma once

#include "gemm_grouped/wgmma/grouped_tiles_16bit.h"
#include "gemm_grouped/wgmma/list_work.h"

namespace gpuopt {

template <template <int> class Tile, bool kAlongB>
__global__ void gemm_grouped_wgmma_list_kernel(const __grid_constant__ ListWgmmaWork work,
                                               const __grid_constant__ GemmEpilogue<float> epilogue);

template <class T>
constexpr int kListWgmmaShared = GroupedWgmma<T>::kShared - kGroupedSlotBytes + kListSlotBytes;
static_assert(kListWgmmaShared<__half> <= 227 * 1024, "what a block may have on sm_90");

}  // namespace gpuopt
