// The kernel of norm_cluster_row: blocks of a cluster hold a piece of a row each, and stay for rows.
#pragma once

#include <cooperative_groups.h>

#include <cuda/ptx>

#include "norm/common/groups.cuh"
#include "norm/common/row_work.cuh"
#include "norm/common/running_moments.cuh"
#include "norm/common/unaligned.cuh"
#include "norm/shared/cluster_row.h"

namespace gpuopt {

constexpr int kTileBlocks = blocks_at_once<kClusterRowThreads>(2);  // of an SM, for which registers are to be enough

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
[[maybe_unused]] constexpr int kTileChunks = 4, kMostTileStages = 2;

// The blocks of a cluster, on top of a block's own join. Joins take turns in two slots: when one is written again, all
// blocks have been at the barrier of the join between, behind their readings of it.
struct ClusterGroup {
  BlockGroup<kClusterRowThreads / 32> block;
  Moments *slots;  // of this block: two
  int turn = 0;
  __device__ __forceinline__ ClusterGroup(Moments (*partials)[kClusterRowThreads / 32], Moments *two)
      : block(partials), slots(two) {}
  template <int kNorm>
  __device__ __forceinline__ Moments join(Moments m, float n) {
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned blocks = cluster.num_blocks();
    m = block.join<kNorm, false>(m, kNorm == GPUOPT_NORM_LAYERNORM ? count_of_block(m.count) : n);
    Moments *const slot = slots + turn;
    turn ^= 1;
    if (threadIdx.x == 0) *slot = m;
    cluster.sync();
    const unsigned of = threadIdx.x % kMostBlocks;
    return join_lanes<kNorm, kMostBlocks>(of < blocks ? *cluster.map_shared_rank(slot, of) : no_moments<kNorm>(), n);
  }
  __device__ __forceinline__ float count_of_block(float count) const {
    __shared__ float counts[kClusterRowThreads / 32];
    count = count_of_warp(count);
    if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = count;
    __syncthreads();
    const unsigned warp = threadIdx.x % 32;
    return count_of_warp(warp < blockDim.x / 32 ? counts[warp] : 0.0f);
  }
};

// What a block has of a row, which is cut at x's vectors: `mine` of those, the first block the elements before them as
// well, the last block those behind, an element a thread (at; n: none).
template <class T>
struct RowPiece {
  const T *x, *residual;
  int32_t p, i, head, mine, at;
  bool brings;  // the residual, which is read where it is where it begins otherwise than x
};
#endif

// piece: vectors of a row that a block has; the last block may have fewer. stages: rows of a block's memory.
template <class T, int kNorm, bool kAny>
__global__ void __launch_bounds__(kClusterRowThreads, kTileBlocks)
    norm_cluster_row_kernel(const __grid_constant__ RowWork<T> work, int32_t piece, int32_t stages) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  namespace ptx = cuda::ptx;
  constexpr int K = 16 / sizeof(T), kUnroll = kAny && !kIsSoftmax<kNorm> ? 1 : 4;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ uint64_t full[kMostTileStages][kTileChunks];
  __shared__ Moments partials[2][kClusterRowThreads / 32], slots[2];
  ClusterGroup group(partials, slots);
  const auto cluster = cooperative_groups::this_cluster();
  const auto block = static_cast<int32_t>(cluster.block_rank()), blocks = static_cast<int32_t>(cluster.num_blocks());
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const int32_t n = work.cols, begin = block * piece, total = work.rows * work.batch;
  const auto step = static_cast<int32_t>(gridDim.y);
  const bool adds = kAny && work.residual.dtype != 0, has_sum = work.sum.dtype != 0;
  const int32_t stage_bytes = piece * (adds ? 32 : 16);

  const auto piece_of = [&](int32_t row) {
    RowPiece<T> of = {};
    of.p = work.place(row, of.i);
    of.x = start_of_row<T>(work.x, of.p, of.i);
    of.head = kAny ? min((K - elements_before(of.x)) % K, n) : 0;
    const int32_t vectors = (n - of.head) / K, behind_all = of.head + vectors * K;
    of.mine = max(min(vectors - begin, piece), 0);
    of.at = n;
    if (kAny && block == 0 && thread < of.head) of.at = thread;
    if (kAny && block == blocks - 1 && thread < n - behind_all) of.at = behind_all + thread;
    if (adds) {
      of.residual = start_of_row<T>(work.residual, of.p, of.i);
      of.brings = elements_before(of.residual + of.head) == 0;
    }
    return of;
  };
  const auto chunk_end = [&](const RowPiece<T> &of, int c) {
    return min((c + 1) * ((of.mine + kTileChunks - 1) / kTileChunks), of.mine);
  };
  const auto load = [&](int32_t row, int stage) {  // one thread
    const RowPiece<T> of = piece_of(row);
    unsigned char *const to = memory + stage * stage_bytes;
    for (int c = 0, from = 0; c < kTileChunks; ++c) {
      const int32_t end = chunk_end(of, c), first = of.head + (begin + from) * K;
      const auto bytes = static_cast<uint32_t>((end - from) * 16);
      uint64_t *const barrier = &full[stage][c];
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                     of.brings ? 2 * bytes : bytes);
      if (bytes == 0) continue;
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to + from * 16, of.x + first, bytes, barrier);
      if (of.brings)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to + (piece + from) * 16, of.residual + first, bytes,
                           barrier);
      from = end;
    }
  };
  const auto single_of = [&](const RowPiece<T> &of) {
    if (!kAny || of.at >= n) return 0.0f;
    return widen<float>(of.x[of.at]) + (adds ? widen<float>(of.residual[of.at]) : 0.0f);
  };

  auto row = static_cast<int32_t>(blockIdx.y);
  if (thread == 0) {
    for (auto &of_stage : full)
      for (uint64_t &barrier : of_stage) ptx::mbarrier_init(&barrier, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    for (int s = 0; s < stages && row + s * step < total; ++s) load(row + s * step, s);
  }
  RowPiece<T> of = piece_of(row), next = of;
  float single = single_of(of);
  __syncthreads();

  int stage = 0;
  uint32_t parity = 0;
#pragma unroll 1
  for (; row < total; row += step) {
    float single_after = 0;
    if (total - row > step) {
      next = piece_of(row + step);
      single_after = single_of(next);
    }
    const T *const tile = reinterpret_cast<const T *>(memory + stage * stage_bytes), *const other = tile + piece * K;
    const auto elements = [&](int32_t v, float(&h)[K]) {
      widen_bits(load_bits<T, K>(tile + v * K), h);
      if (!adds) return;
      if (of.brings)
        add(h, load_bits<T, K>(other + v * K));
      else
        add(h, load_vector<false, T, K>(of.residual + of.head + (begin + v) * K));
    };
    RunningMoments<kNorm> running;
    for (int c = 0, from = 0; c < kTileChunks; ++c) {
      while (!ptx::mbarrier_try_wait_parity(&full[stage][c], parity)) {
      }
      const int32_t end = chunk_end(of, c);
#pragma unroll 4
      for (int32_t v = from + thread; v < end; v += threads) {
        float h[K];
        elements(v, h);
        running.add(h);
      }
      from = end;
    }
    if (kAny && of.at < n) {
      const float one[1] = {single};
      running.add(one);
    }
    const auto cols = static_cast<float>(n);
    const RowFactors factors = factors_of<kNorm>(work, group.join<kNorm>(running.result(), cols), cols);
    if (work.statistics.dtype != 0 && block == 0 && thread == 0) store_statistics(work, of.p, of.i, factors);

    const int32_t first = of.head + begin * K;
    T *const out = start_of_result<T>(work.out, of.p, of.i), *const sum = start_of_result<T>(work.sum, of.p, of.i);
    const T *const gamma = start_of_weights<T>(work.gamma, of.p), *const beta = start_of_weights<T>(work.beta, of.p);
    const auto store = [&](auto has_gamma, auto has_beta) {
#pragma unroll kUnroll
      for (int32_t v = thread; v < of.mine; v += threads) {
        float h[K];
        elements(v, h);
        if (kAny && has_sum) store_vector<false, T, K>(sum + first + v * K, h);
        normalise<kNorm>(factors, h);
        if (has_gamma) multiply(h, load_weights<!kAny, T, K>(gamma, first + v * K, n));
        if (has_beta) add(h, load_weights<!kAny, T, K>(beta, first + v * K, n));
        store_vector<!kAny, T, K>(out + first + v * K, h);
      }
      if (!kAny || of.at >= n) return;
      if (has_sum) sum[of.at] = narrow<T>(single);
      float h = normalised<kNorm>(factors, single);
      if (has_gamma) h *= widen<float>(gamma[of.at]);
      if (has_beta) h += widen<float>(beta[of.at]);
      out[of.at] = narrow<T>(h);
    };
    with_weights<kNorm>(work, store);
    __syncthreads();  // all have read the row
    if (thread == 0 && total - row > stages * step) load(row + stages * step, stage);
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
    of = next;
    single = single_after;
  }
  cluster.sync();  // no block leaves while its slots may be read
#endif
}

}  // namespace gpuopt
