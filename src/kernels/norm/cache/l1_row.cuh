// A block reads its row twice, the second time from the first-level cache (sm_90).
//
// A row in registers is there from its loads to its stores, and so few blocks fit an SM. Here the first reading asks the
// caches to keep the row and leaves only statistics in registers; the second finds it in the first-level cache (64 bytes
// a thread: 96 to 128 KB an SM, and the weights) and says that it is not wanted again. What comes from memory is the same,
// but each thread's loads of the second reading are spread among its stores.
#pragma once

#include "norm/cache/l1_row.h"
#include "norm/common/early_rows.cuh"
#include "norm/common/groups.cuh"
#include "norm/common/row_work.cuh"
#include "norm/common/running_moments.cuh"

namespace gpuopt {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// again: whether the line will be wanted again.
__device__ __forceinline__ uint64_t cache_policy(bool again) {
  uint64_t policy;
  if (again) {
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  } else {
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  }
  return policy;
}
// In the order of the program with all other accesses: out may be x.
template <bool kAgain, class T>
__device__ __forceinline__ Bits<T, 16 / sizeof(T)> load_by_policy(const T *from, uint64_t policy) {
  Bits<T, 16 / sizeof(T)> bits;
  if constexpr (kAgain) {
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(bits.w[0]), "=r"(bits.w[1]), "=r"(bits.w[2]), "=r"(bits.w[3])
                 : "l"(from), "l"(policy)
                 : "memory");
  } else {
    asm volatile("ld.global.L1::evict_first.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(bits.w[0]), "=r"(bits.w[1]), "=r"(bits.w[2]), "=r"(bits.w[3])
                 : "l"(from), "l"(policy)
                 : "memory");
  }
  return bits;
}
#endif

template <class T, int kNorm, int kColumns>
__global__ void __launch_bounds__(
    L1RowShape<T, kNorm, kColumns>::kThreads,
    blocks_at_once<L1RowShape<T, kNorm, kColumns>::kThreads>(L1RowShape<T, kNorm, kColumns>::kBlocks))
    norm_l1_row_kernel(const __grid_constant__ RowWork<T> work) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using Shape = L1RowShape<T, kNorm, kColumns>;
  constexpr int K = 16 / sizeof(T), V = Shape::kVectors;
  const int32_t step = K * (kColumns != 0 ? Shape::kThreads : static_cast<int32_t>(blockDim.x));
  __shared__ Moments partials[2][Shape::kThreads / 32];
  BlockGroup<Shape::kThreads / 32> group(partials);
  int32_t i;
  const int32_t p = work.place(static_cast<int32_t>(blockIdx.x), i), first = static_cast<int32_t>(threadIdx.x) * K;
  wait_with_row(work, p, i, group.rank(), group.size());
  const T *const x = start_of_row<T>(work.x, p, i) + first;
  const uint64_t keep = cache_policy(true), drop = cache_policy(false);
  const T *const gammas = start_of_weights<T>(work.gamma, p) + first;
  const T *const betas = start_of_weights<T>(work.beta, p) + first;
  Bits<T, K> gamma[V], beta[V];
  RunningMoments<kNorm> running;
#pragma unroll
  for (int v = 0; v < V; ++v) {
    float h[K];
    widen_bits(load_by_policy<true>(x + v * step, keep), h);
    running.add(h);
  }
#pragma unroll
  for (int v = 0; v < Shape::kAhead; ++v) {
    if (work.gamma.dtype != 0) gamma[v] = load_bits<T, K>(gammas + v * step);
    if (work.beta.dtype != 0) beta[v] = load_bits<T, K>(betas + v * step);
  }
  const auto n = static_cast<float>(V * step);
  const RowFactors factors = factors_of<kNorm>(work, group.template join<kNorm, true>(running.result(), n), n);
  if (work.statistics.dtype != 0 && threadIdx.x == 0) store_statistics(work, p, i, factors);

  T *const out = start_of_result<T>(work.out, p, i) + first;
  with_weights<kNorm>(work, [&](auto has_gamma, auto has_beta) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const Bits<T, K> bits = load_by_policy<false>(x + v * step, drop);
      if (has_gamma && v >= Shape::kAhead) gamma[v] = load_bits<T, K>(gammas + v * step);
      if (has_beta && v >= Shape::kAhead) beta[v] = load_bits<T, K>(betas + v * step);
      float h[K];
      widen_bits(bits, h);
      normalise<kNorm>(factors, h);
      if (has_gamma) multiply(h, gamma[v]);
      if (has_beta) add(h, beta[v]);
      store_bits(out + v * step, narrow_bits<T>(h));
    }
  });
#endif
}

}  // namespace gpuopt
