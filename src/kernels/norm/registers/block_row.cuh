// The kernels of norm_block_row: a block holds rows, alone, before interpreted stages, before a linear chain.
#pragma once

#include "norm/registers/block_row.h"
#include "norm/registers/rows.cuh"

namespace gpuopt {

// Blocks an SM that registers are to be enough for: two, where that leaves all that a thread needs.
template <int kNorm, int V, bool kAdds, bool kAny>
constexpr int kRowBlocks = kAny ? (kAdds || kNorm == GPUOPT_NORM_LAYERNORM || V == kFewVectors ? 1 : 2)
                           : kAdds &&V == kManyVectors ? (kNorm == GPUOPT_NORM_RMSNORM ? 2 : 1)
                                                       : 2;

template <class T, int kNorm, int V, bool kAdds, bool kAny>
__global__ void __launch_bounds__(kBlockRowThreads, kRowBlocks<kNorm, V, kAdds, kAny>)
    norm_block_row_kernel(const __grid_constant__ RowWork<T> work) {
  __shared__ Moments partials[2][kBlockRowThreads / 32];
  BlockGroup<kBlockRowThreads / 32> group(partials);
  norm_group_row<T, kNorm, V, kAdds, kAny>(work, NoChain{}, group, static_cast<int32_t>(blockIdx.x));
}

// The registers that an interpreter needs, used or not, would cost the kernel above blocks an SM.
template <class T, int kNorm, bool kAdds, bool kAny>
__global__ void __launch_bounds__(kBlockRowThreads, 1)
    norm_block_stages_kernel(const __grid_constant__ RowWork<T> work) {
  __shared__ Moments partials[2][kBlockRowThreads / 32];
  BlockGroup<kBlockRowThreads / 32> group(partials);
  norm_group_row<T, kNorm, kManyVectors, kAdds, kAny>(work, Interpreted{}, group, static_cast<int32_t>(blockIdx.x));
}

// A linear chain needs so few registers that one block's memory and another's arithmetic can overlap: of 16-bit elements
// they take nearly as long. Registers are bounded for 40 warps of an SM, 48 in fp32, 32 with eight vectors a thread or a
// mean, which leaves the first-level cache to the weights. Rows that begin anywhere need more.
template <class T, int kNorm, int kThreads, int V, bool kAny>
constexpr int linear_blocks() {
  if (kAny) return 1;
  if (sizeof(T) == 2 && kNorm == GPUOPT_NORM_LAYERNORM) return 1024 / kThreads;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  if (sizeof(T) == 4 && V == kManyVectors && kThreads == kBlockRowThreads) return 3;
#endif
  return blocks_at_once<kThreads>(kThreads == kFewLinearThreads ? 5 : 2);
}

template <class T, int kNorm, int kThreads, int V, bool kAny>
__global__ void __launch_bounds__(kThreads, (linear_blocks<T, kNorm, kThreads, V, kAny>()))
    norm_block_linear_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ RowLinear chain) {
  __shared__ Moments partials[2][kThreads / 32];
  BlockGroup<kThreads / 32> group(partials);
  norm_group_row<T, kNorm, V, false, kAny>(work, chain, group, static_cast<int32_t>(blockIdx.x));
}

// Instances, for the files of common/ that compile them.
#define GPUOPT_BLOCK_ROW_INSTANCE(T, norm, V, adds, any) \
  template __global__ void norm_block_row_kernel<T, norm, V, adds, any>(const __grid_constant__ RowWork<T>);
#define GPUOPT_BLOCK_STAGES_INSTANCE(T, norm, adds, any) \
  template __global__ void norm_block_stages_kernel<T, norm, adds, any>(const __grid_constant__ RowWork<T>);
#define GPUOPT_BLOCK_LINEAR_INSTANCE(T, norm, threads, V, any)                                                    \
  template __global__ void norm_block_linear_kernel<T, norm, threads, V, any>(const __grid_constant__ RowWork<T>, \
                                                                              const __grid_constant__ RowLinear);

}  // namespace gpuopt
