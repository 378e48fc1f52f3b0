// The end of a small tile: runs of four sums of a row go to memory; in a cluster whose blocks hold parts of k, first to the
// block that adds and stores them.
#pragma once

#include "gemm/mma/mma_cluster.cuh"
#include "gemm/mma/mma_warp.cuh"

namespace gpuopt {

// The runs that a thread stores or sends on: all that its warp holds; or, where the steps of k were shared by two
// warps, half of them, to which it adds what the other has there.
template <class Tile, class Warp, class Run, int kRows, int kOfRow>
__device__ __forceinline__ void mma_gather_runs(const Warp &warp, unsigned char *shared, Run (&x)[kRows][kOfRow]) {
  const int lane = threadIdx.x % 32;
  if constexpr (Tile::kSlices == 1) {
    for_each_run<kRows, kOfRow>([&](int i, int run) { warp.run(x[i][run].v, lane, i, run / 2, run % 2); });
  } else {
    static_assert(Tile::kSlices == 2 && Warp::kBlocksM % 2 == 0, "the halves are rows of blocks");
    const bool second = threadIdx.x >= Tile::kSliceThreads;
    Run *mine = reinterpret_cast<Run *>(shared) + threadIdx.x;
    const Run *others = second ? mine - Tile::kSliceThreads : mine + Tile::kSliceThreads;
    __syncthreads();  // the stages are free
    for_each_run<kRows, kOfRow>([&](int i, int run) {
      Run low, high;
      warp.run(low.v, lane, i, run / 2, run % 2);
      warp.run(high.v, lane, i + kRows, run / 2, run % 2);
      x[i][run] = second ? high : low;
      mine[(i * kOfRow + run) * Tile::kThreads] = second ? low : high;
    });
    __syncthreads();
    for_each_run<kRows, kOfRow>(
        [&](int i, int run) { add_run(x[i][run], others[(i * kOfRow + run) * Tile::kThreads]); });
  }
}

// The whole aligned tile of a cluster of 2^kLog blocks: what rank stores of it, from its inbox. All reads are in flight
// together.
template <class Tile, class Warp, int kLog>
__device__ __forceinline__ void mma_store_inbox(const MmaGemm &gemm, const Pack<typename Tile::Sum, 4> *inbox,
                                                const MmaStore::Scalars &scalars, const MmaStore::Origin &origin,
                                                int32_t rank) {
  using Run = Pack<typename Tile::Sum, 4>;
  constexpr int kOfRow = 2 * Warp::kBlocksN, kRanks = 1 << kLog, kRankThreads = Tile::kThreads >> kLog;
  constexpr int kOfRank = Tile::kRuns * kRankThreads, kTurns = (kOfRank + Tile::kThreads - 1) / Tile::kThreads;
  const int thread = static_cast<int>(threadIdx.x);
  if (kOfRank < Tile::kThreads && thread >= kOfRank) return;
  Run x[kTurns][kRanks];
#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int from = 0; from < kRanks; ++from) x[turn][from] = inbox[from * kOfRank + turn * Tile::kThreads + thread];
  }
#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn) {
    const int run = thread / kRankThreads + turn * kRanks;
    int32_t r, c;
    Warp::place(rank * kRankThreads + thread % kRankThreads, run / kOfRow, run / 2 % Warp::kBlocksN, run % 2, &r, &c);
#pragma unroll
    for (int from = 1; from < kRanks; ++from) add_run(x[turn][0], x[turn][from]);
    gemm.store.simple(scalars, origin, r, c, x[turn][0].v);
  }
}

// The same for a tile that may have a cluster: of 2^log blocks, rank q stores the runs of the q-th part of the threads.
template <class Tile, class Warp>
__device__ __forceinline__ void mma_store_small_tile(const MmaGemm &gemm, const Warp &warp, unsigned char *shared,
                                                     uint32_t base, const MmaStore::Origin &origin, int32_t rank,
                                                     int32_t log) {
  using Sum = typename Tile::Sum;
  using Run = Pack<Sum, 4>;
  constexpr int kOfRow = 2 * Warp::kBlocksN, kRows = Warp::kBlocksM / Tile::kSlices, kMostRanks = 8;
  const int thread = static_cast<int>(threadIdx.x);
  constexpr int kLogThreads = Tile::kThreads == 128 ? 7 : 8;
  static_assert(Tile::kThreads == 1 << kLogThreads, "a power of two");
  const int log_threads = kLogThreads - log, threads = 1 << log_threads;  // of a rank
  Run *inbox = reinterpret_cast<Run *>(shared + Tile::kInbox);
  const MmaStore::Scalars scalars = gemm.store.scalars();
  const bool simple = gemm.store.is_simple(origin, Tile::kM, Tile::kN);  // the common case
  Run x[kRows][kOfRow];
  mma_gather_runs<Tile>(warp, shared, x);
  if (log == 0 && simple) {
    for_each_run<kRows, kOfRow>([&](int i, int run) {
      int32_t r, c;
      Warp::place(thread, i, run / 2, run % 2, &r, &c);
      gemm.store.simple(scalars, origin, r, c, x[i][run].v);
    });
    return;
  }
  uint32_t to = 0, barrier = 0;  // in the block that stores this thread's runs
  if (log != 0) {
    const uint32_t taker = static_cast<uint32_t>(thread >> log_threads);
    const int slot = (rank * Tile::kRuns << log_threads) + (thread & (threads - 1));
    to = cluster_address(base + static_cast<uint32_t>(Tile::kInbox + slot * 16), taker);
    barrier = cluster_address(base + Tile::kBarrier, taker);
    cluster_wait();
  }
  for_each_run<kRows, kOfRow>([&](int i, int run) {
    if (log != 0)
      cluster_send(to + static_cast<uint32_t>((i * kOfRow + run) * 16 << log_threads), barrier, x[i][run].v);
    else
      inbox[(i * kOfRow + run) * Tile::kThreads + thread] = x[i][run];
  });
  if (log != 0) cluster_wait_inbox(base + Tile::kBarrier);
  if (log != 0 && simple) {
    if (log == 1) return mma_store_inbox<Tile, Warp, 1>(gemm, inbox, scalars, origin, rank);
    if (log == 2) return mma_store_inbox<Tile, Warp, 2>(gemm, inbox, scalars, origin, rank);
    return mma_store_inbox<Tile, Warp, 3>(gemm, inbox, scalars, origin, rank);
  }
#pragma unroll 1
  for (int at = thread; at < Tile::kRuns * threads; at += Tile::kThreads) {
    Run sum = inbox[at];
#pragma unroll
    for (int from = 1; from < kMostRanks; ++from) {
      if (from >> log != 0) break;
      add_run(sum, inbox[from * Tile::kRuns * threads + at]);
    }
    const int run = at >> log_threads;
    int32_t r, c;
    Warp::place((rank << log_threads) + (at & (threads - 1)), run / kOfRow, run / 2 % Warp::kBlocksN, run % 2, &r, &c);
    gemm.store.run(scalars, origin, r, c, sum.v);
  }
}

}  // namespace gpuopt
