// The kernel as the host names it, and its tiles: list_mma_kernel.cuh has its code.
#pragma once

#include "gemm/mma/mma_warp.cuh"
#include "gemm_grouped/common/group_products.h"

namespace gpuopt {

template <class C>
struct GemmEpilogue;

struct ListWork {
  GroupList list;
  MmaStore store;  // but for what is a product's
  bool plain;      // it does all that is asked for
  bool reads_c;
  uint32_t *taken;  // numbers of tiles drawn; 0 before and after
};

template <class Tile, bool kAlongB>
__global__ void gemm_grouped_mma_kernel(const __grid_constant__ ListWork work,
                                        const __grid_constant__ GemmEpilogue<float> epilogue);

template <class T>
using ListTile16x64 = MmaTile<T, T, 16, 64, 128, 1, 4, 6, 3>;
template <class T>
using ListTile64x64 = MmaTile<T, T, 64, 64, 128, 2, 2, 4, 2>;
template <class T>
using ListTile128x128 = MmaTile<T, T, 128, 128, 128, 2, 2, 3, 2>;

}  // namespace gpuopt
