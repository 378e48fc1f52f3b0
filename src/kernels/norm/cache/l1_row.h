// l1_row.cuh as the host knows it.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

// kColumns: the row's, where addresses are to be known when the kernel is compiled; 0: what the block's threads make,
// four vectors each.
template <class T, int kNorm, int kColumns>
struct L1RowShape {
  static constexpr bool kIsF32 = sizeof(T) == 4, kIsWide = !kIsF32 && kColumns == 8192 && kNorm == GPUOPT_NORM_RMSNORM;
  static constexpr int kVectors = kIsWide ? 2 : 4;  // of a thread
  static constexpr int kThreads = kColumns != 0 ? kColumns / (kVectors * 16 / static_cast<int>(sizeof(T))) : 512;
  // Vectors whose weights are asked for before the statistics are joined; of fp32 that also takes the registers of a
  // fourth block, whose row would not fit.
  static constexpr int kAhead = kIsF32 && kColumns == 8192 && kNorm == GPUOPT_NORM_LAYERNORM ? 1 : 0;
  static constexpr int kBlocks = kThreads == 1024 ? 2 : kIsWide ? 4 : 1536 / kThreads;  // of an SM
};

// Compiled in common/l1_rows.cu.
template <class T, int kNorm, int kColumns>
__global__ void norm_l1_row_kernel(const __grid_constant__ RowWork<T> work);

}  // namespace gpuopt
