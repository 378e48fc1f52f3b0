// The kernel of norm_cluster_row: the idea stands there.
#pragma once

#include <cuda/ptx>

#include "norm/common/groups.cuh"
#include "norm/common/meet_blocks.cuh"
#include "norm/common/row_work.cuh"
#include "norm/common/running_moments.cuh"
#include "norm/common/unaligned.cuh"
#include "norm/shared/cluster_row.h"

namespace gpuopt {

// Blocks an SM that registers are to be enough for: its memory has room for three pieces of 64 KB.
template <class T>
constexpr int kTileBlocks = blocks_at_once<kClusterRowThreads>(sizeof(T) == 4 ? 1 : 3);
[[maybe_unused]] constexpr int kTileChunks = 4;

__device__ __forceinline__ float count_of_block(float count) {
  __shared__ float counts[kClusterRowWarps];
  count = count_of_warp(count);
  if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = count;
  __syncthreads();
  const unsigned warp = threadIdx.x % 32;
  return count_of_warp(warp < blockDim.x / 32 ? counts[warp] : 0.0f);
}

// The row is cut at x's vectors; the first block has the elements before them as well, the last block those behind, an element a
// thread.
template <class T, int kNorm, bool kAny, bool kAdds>
__global__ void __launch_bounds__(kClusterRowThreads, kTileBlocks<T>)
    norm_cluster_row_kernel(const __grid_constant__ RowWork<T> work, int32_t piece) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  namespace ptx = cuda::ptx;
  constexpr int K = 16 / sizeof(T), kUnroll = kAny && !kIsSoftmax<kNorm> ? 1 : 4;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ uint64_t full[kTileChunks], met;
  __shared__ Moments partials[2][kClusterRowWarps], of_block[kMostClusterBlocks];
  const auto i = static_cast<int32_t>(blockIdx.y), p = static_cast<int32_t>(blockIdx.z), n = work.cols;
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const T *const x = start_of_row<T>(work.x, p, i), *const residual = start_of_row<T>(work.residual, p, i);
  const bool has_sum = kAdds && work.sum.dtype != 0;
  const int32_t head = kAny ? min((K - elements_before(x)) % K, n) : 0, vectors = (n - head) / K;
  const auto block = static_cast<int32_t>(blockIdx.x),
             blocks = static_cast<int32_t>(gridDim.x);  // a cluster is a row's
  const int32_t begin = block * piece;
  const int32_t mine = max(min(vectors - begin, piece), 0);
  int32_t at = n;  // of the element before or behind that this thread has
  if (kAny && block == 0 && thread < head) at = thread;
  if (kAny && block == blocks - 1 && thread < n - head - vectors * K) at = head + vectors * K + thread;
  const bool brings =
      kAdds && elements_before(residual + head) == 0;  // a residual that begins otherwise is read where it is
  const int32_t chunk = (mine + kTileChunks - 1) / kTileChunks;
  const auto chunk_end = [&](int c) { return min((c + 1) * chunk, mine); };
  const T *const tile = reinterpret_cast<const T *>(memory), *const other = tile + piece * K;
  if (thread == 0) {
    for (uint64_t &barrier : full) ptx::mbarrier_init(&barrier, 1);
    ptx::mbarrier_init(&met, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence_proxy_async(ptx::space_shared);
    expect_blocks(&met, blocks);
    for (int c = 0; c < kTileChunks; ++c) {
      const int32_t from = c * chunk, count = max(chunk_end(c) - from, 0);
      const auto bytes = static_cast<uint32_t>(count * 16);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[c],
                                     brings ? 2 * bytes : bytes);
      if (bytes == 0) continue;
      const int32_t first = head + (begin + from) * K;
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, memory + from * 16, x + first, bytes, &full[c]);
      if (brings)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, memory + (piece + from) * 16, residual + first, bytes,
                           &full[c]);
    }
  }
  float single[1] = {0};
  if (kAny && at < n) single[0] = widen<float>(x[at]) + (kAdds ? widen<float>(residual[at]) : 0.0f);
  __syncthreads();
  ptx::barrier_cluster_arrive(ptx::sem_relaxed);  // that `met` is there

  const auto elements = [&](int32_t v, float(&h)[K], bool brought) {
    widen_bits(load_bits<T, K>(tile + v * K), h);
    if (kAdds && brought) add(h, load_bits<T, K>(other + v * K));
    if (kAdds && !brought) add(h, load_vector<false, T, K>(residual + head + (begin + v) * K));
  };
  RunningMoments<kNorm> running;
  for (int c = 0; c < kTileChunks; ++c) {
    while (!ptx::mbarrier_try_wait_parity(&full[c], 0)) {
    }
    const int32_t end = chunk_end(c);
#pragma unroll 4
    for (int32_t v = c * chunk + thread; v < end; v += threads) {
      float h[K];
      elements(v, h, brings);
      running.add(h);
    }
  }
  if (kAny && at < n) running.add(single);
  const auto cols = static_cast<float>(n);
  Moments all = running.result();
  const float of_this = kNorm == GPUOPT_NORM_LAYERNORM ? count_of_block(all.count) : cols;
  all = BlockGroup<kClusterRowWarps>(partials).template join<kNorm, false>(all, of_this);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
  all = meet_blocks<kNorm, kMostClusterBlocks>(all, cols, &met, of_block, 0, thread < 32);
  const RowFactors row = factors_of<kNorm>(work, all, cols);
  if (work.statistics.dtype != 0 && block == 0 && thread == 0) store_statistics(work, p, i, row);

  const int32_t first = head + begin * K;
  T *const out = start_of_result<T>(work.out, p, i), *const sum = start_of_result<T>(work.sum, p, i);
  const T *const gamma = start_of_weights<T>(work.gamma, p), *const beta = start_of_weights<T>(work.beta, p);
  // Whether out's vectors begin where x's do, so that no vector has to find out for itself; a mean leaves no registers for that.
  constexpr bool kAsks = kAny && kNorm != GPUOPT_NORM_LAYERNORM;
  const bool alike = !kAny || (kAsks && (!kAdds || brings) && elements_before(out + head) == 0 &&
                               (!has_sum || elements_before(sum + head) == 0));
  const auto store_all = [&](auto has_gamma, auto has_beta, auto whole) {
    constexpr bool kWhole = decltype(whole)::value;
#pragma unroll kUnroll
    for (int32_t v = thread; v < mine; v += threads) {
      float h[K];
      elements(v, h, kWhole || brings);
      if (has_sum) store_vector<kWhole, T, K>(sum + first + v * K, h);
      normalise<kNorm>(row, h);
      if (has_gamma) multiply(h, load_weights<!kAny, T, K>(gamma, first + v * K, n));
      if (has_beta) add(h, load_weights<!kAny, T, K>(beta, first + v * K, n));
      store_vector<kWhole, T, K>(out + first + v * K, h);
    }
  };
  const auto store = [&](auto has_gamma, auto has_beta) {
    if constexpr (!kAny || kAsks) {
      if (alike) store_all(has_gamma, has_beta, std::true_type());
    }
    if constexpr (kAny) {
      if (!alike) store_all(has_gamma, has_beta, std::false_type());
    }
    if (!kAny || at >= n) return;
    if (has_sum) sum[at] = narrow<T>(single[0]);
    float h = normalised<kNorm>(row, single[0]);
    if (has_gamma) h *= widen<float>(gamma[at]);
    if (has_beta) h += widen<float>(beta[at]);
    out[at] = narrow<T>(h);
  };
  with_weights<kNorm>(work, store);
#endif
}

}  // namespace gpuopt
