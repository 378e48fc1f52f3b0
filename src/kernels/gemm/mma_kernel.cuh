// The kernel behind every gemm_mma_*: mma.sync on tiles that pass through shared memory.
//
// Idea and data movement. A block computes kM x kN sums. Tiles of A and B, kKBytes bytes of k deep, stream through a ring of
// kStages in shared memory (mma_copy.cuh), kStages - 1 of them in flight while one is used. Each warp keeps its part of the
// sums in registers and loads its fragments one step ahead of the products. In the end neighbouring lanes trade sums, so that
// each holds runs of four neighbours of a row, and these go to memory. Where a tile's k is split over the blocks of a cluster,
// the runs go to each other first (mma_cluster.cuh) and are added in the order of the parts.
//
// On sm_90 and newer the kernel may be launched before its predecessor in the stream has finished; it waits before it touches
// memory (programmatic dependent launch), which takes most of the launch latency off small products.
#ifndef GPUOPT_KERNELS_GEMM_MMA_KERNEL_CUH
#define GPUOPT_KERNELS_GEMM_MMA_KERNEL_CUH

#include "gemm/mma_cluster.cuh"
#include "gemm/mma_copy.cuh"
#include "gemm/mma_store.cuh"

namespace gpuopt {

template <class TypeA, class TypeB, int M, int N, int KBytes, int WarpsM, int WarpsN, int Stages, int Blocks,
          bool Staged = false>
struct MmaTile {
  using A = TypeA;
  using B = TypeB;
  using Sum = MmaSum<A>;
  static constexpr int kM = M, kN = N, kKBytes = KBytes, kDepth = KBytes / static_cast<int>(sizeof(A));
  static constexpr int kWarpsM = WarpsM, kWarpsN = WarpsN, kThreads = 32 * WarpsM * WarpsN;
  static constexpr int kWarpM = M / WarpsM, kWarpN = N / WarpsN;
  static constexpr int kRuns = kWarpM * kWarpN / 128;  // of four sums, of a thread
  static constexpr int kSteps = KBytes / 32;           // of a stage
  static constexpr int kStages = Stages;
  static constexpr int kBlocks = Blocks;   // an SM must have registers for
  static constexpr bool kStaged = Staged;  // through registers: any alignment, any architecture
  // Small tiles may be split over a cluster, which needs an inbox beside the stages; of large ones there are enough.
  static constexpr bool kClusters = M * N <= 64 * 64;
  static constexpr int kStageBytes = (M + N) * KBytes;
  static constexpr int kInbox = kStageBytes * Stages, kBarrier = kInbox + (kClusters ? M * N * 4 : 0);
  static constexpr int kShared = kBarrier + (kClusters ? 16 : 0);
  static_assert(kThreads * kWarpN / 8 * 16 <= kInbox, "runs of a block row wait in the stages");
};

struct MmaGemm {
  MmaOperand a, b;
  MmaStore store;
  int32_t m, n, k, batch;
  int32_t tiles_m, tiles_n;
  int32_t splits;  // parts of k, each a block
  int32_t
      cluster;  // the parts of a tile are a cluster of 2^cluster blocks and add up; 0: each part is a slice of its own
};

// Fragments of one step of k of a warp.
template <class Tile>
struct MmaFragments {
  uint32_t a[Tile::kWarpM / 16][4], b[Tile::kWarpN / 16][4];
};

// What a warp computes with: its sums and where its fragments begin.
template <class Tile, bool kAlongA, bool kAlongB>
struct MmaWarp {
  using SharedA = SharedTile<typename Tile::A, false, kAlongA, Tile::kM, Tile::kKBytes>;
  using SharedB = SharedTile<typename Tile::B, true, kAlongB, Tile::kN, Tile::kKBytes>;
  using Sum = typename Tile::Sum;
  static constexpr int kBlocksM = Tile::kWarpM / 16, kBlocksN = Tile::kWarpN / 16;
  // fp8 products are summed in the tensor core over one stage at most (128 of k), then in fp32.
  static constexpr bool kPromotes = kIsFp8<typename Tile::A>;

  Sum sum[kBlocksM][2 * kBlocksN][4];
  Sum part[kPromotes ? kBlocksM : 1][kPromotes ? 2 * kBlocksN : 1][4];
  uint32_t lane_a, lane_b;

  __device__ MmaWarp(int lane, int index)
      : lane_a(SharedA::lane_offset(lane, index % Tile::kWarpsM * Tile::kWarpM)),
        lane_b(SharedB::lane_offset(lane, index / Tile::kWarpsM * Tile::kWarpN) + SharedA::kBytes) {
#pragma unroll
    for (int i = 0; i < kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < 2 * kBlocksN; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[i][j][e] = 0;
      }
    }
  }

  __device__ __forceinline__ void load(MmaFragments<Tile> &f, uint32_t stage, int step) const {
#pragma unroll
    for (int i = 0; i < kBlocksM; ++i) SharedA::read(f.a[i], stage + lane_a, i, step);
#pragma unroll
    for (int j = 0; j < kBlocksN; ++j) SharedB::read(f.b[j], stage + lane_b, j, step);
  }

  __device__ __forceinline__ void multiply(const MmaFragments<Tile> &f, bool first, bool last) {
#pragma unroll
    for (int i = 0; i < kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < 2 * kBlocksN; ++j) {
        const uint32_t b0 = f.b[j / 2][j % 2 * 2], b1 = f.b[j / 2][j % 2 * 2 + 1];
        if constexpr (!kPromotes) {
          mma_sync<typename Tile::A, typename Tile::B>(sum[i][j], f.a[i], b0, b1, sum[i][j]);
        } else {
          float zero[4] = {};
          mma_sync<typename Tile::A, typename Tile::B>(part[i][j], f.a[i], b0, b1, first ? zero : part[i][j]);
          if (last) {
#pragma unroll
            for (int e = 0; e < 4; ++e) sum[i][j][e] += part[i][j][e];
          }
        }
      }
    }
  }

  // Run of four neighbours of a row: fragment row half `half` of block (i, pair), for this lane. Its place: place().
  __device__ __forceinline__ void run(Sum (&x)[4], int lane, int i, int pair, int half) const {
    const Sum(&even)[4] = sum[i][2 * pair], (&odd)[4] = sum[i][2 * pair + 1];
    if constexpr (SharedB::kBytePairs) {  // columns of the two products alternate
#pragma unroll
      for (int e = 0; e < 2; ++e) x[2 * e] = even[2 * half + e], x[2 * e + 1] = odd[2 * half + e];
    } else {  // lanes 2i and 2i + 1 have two columns each of both: one takes the left four, the other the right
      const bool right = lane % 2 != 0;
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const Sum mine = right ? odd[2 * half + e] : even[2 * half + e];
        const Sum other = __shfl_xor_sync(0xffffffffu, right ? even[2 * half + e] : odd[2 * half + e], 1);
        x[e] = right ? other : mine;
        x[2 + e] = right ? mine : other;
      }
    }
  }
  // Row and first column, in the tile, of the run of a thread.
  __device__ static __forceinline__ void place(int thread, int i, int pair, int half, int32_t *row, int32_t *col) {
    const int lane = thread % 32, index = thread / 32, r = lane / 4, c = lane % 4;
    *row = index % Tile::kWarpsM * Tile::kWarpM + i * 16 + SharedA::fragment_row(r, half);
    *col = index / Tile::kWarpsM * Tile::kWarpN + pair * 16 + (SharedB::kBytePairs ? c * 4 : c / 2 * 4 + c % 2 * 8);
  }
};

// Waits for the kernels before this one in the stream, where it may have been launched early.
__device__ __forceinline__ void wait_for_predecessors() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// The ring of stages with cp.async: fragments one step ahead.
template <class Tile, class Warp>
__device__ __forceinline__ void mma_main_loop_async(const MmaGemm &gemm, Warp &warp, uint32_t base, int64_t p,
                                                    int32_t row, int32_t col, int32_t depth, int32_t count) {
  constexpr int kSteps = Tile::kSteps, kStages = Tile::kStages;
  AsyncCopy<typename Warp::SharedA, Tile::kThreads> a(gemm.a, p, row, depth, gemm.m, gemm.k);
  AsyncCopy<typename Warp::SharedB, Tile::kThreads> b(gemm.b, p, col, depth, gemm.n, gemm.k);
  const auto copy = [&](int stage) {
    const uint32_t to = base + static_cast<uint32_t>(stage * Tile::kStageBytes);
    a.copy(to, gemm.a.pitch);
    b.copy(to + Warp::SharedA::kBytes, gemm.b.pitch);
  };
  wait_for_predecessors();
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < count) copy(s);
    __pipeline_commit();
  }
  __pipeline_wait_prior(kStages - 2);
  __syncthreads();

  MmaFragments<Tile> fragments[2];
  warp.load(fragments[0], base, 0);
  int read = 0, write = kStages - 1;
  // Two tiles a turn where a tile has an odd number of steps, so that fragments alternate by compile-time indices.
  constexpr int kTurn = kSteps % 2 == 0 ? 1 : 2;
  for (int32_t t = 0; t < count; t += kTurn) {
#pragma unroll
    for (int turn = 0; turn < kTurn; ++turn) {
      if (turn > 0 && t + turn >= count) break;
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        const int now = turn * kSteps + step;
        if (step < kSteps - 1)
          warp.load(fragments[(now + 1) % 2], base + static_cast<uint32_t>(read * Tile::kStageBytes), step + 1);
        if (step == 0) {
          if (t + turn + kStages - 1 < count) copy(write);
          __pipeline_commit();
          write = write + 1 == kStages ? 0 : write + 1;
        }
        if (step == kSteps - 1 && t + turn + 1 < count) {
          __pipeline_wait_prior(kStages - 2);
          __syncthreads();
          read = read + 1 == kStages ? 0 : read + 1;
          warp.load(fragments[(now + 1) % 2], base + static_cast<uint32_t>(read * Tile::kStageBytes), 0);
        }
        warp.multiply(fragments[now % 2], step == 0, step == kSteps - 1);
      }
    }
  }
  __pipeline_wait_prior(0);
}

// Two stages, filled through registers: the next tile is on its way from memory while this one is used.
template <class Tile, class Warp>
__device__ __forceinline__ void mma_main_loop_staged(const MmaGemm &gemm, Warp &warp, unsigned char *shared,
                                                     uint32_t base, int64_t p, int32_t row, int32_t col, int32_t depth,
                                                     int32_t count) {
  constexpr int kSteps = Tile::kSteps;
  StagedCopy<typename Warp::SharedA, Tile::kThreads> a(gemm.a, p, row, depth, gemm.m, gemm.k);
  StagedCopy<typename Warp::SharedB, Tile::kThreads> b(gemm.b, p, col, depth, gemm.n, gemm.k);
  const auto store = [&](int stage) {
    a.store(shared + stage * Tile::kStageBytes);
    b.store(shared + stage * Tile::kStageBytes + Warp::SharedA::kBytes);
  };
  wait_for_predecessors();
  if (count == 0) return;
  a.fetch(gemm.a.pitch);
  b.fetch(gemm.b.pitch);
  store(0);
  __syncthreads();
  for (int32_t t = 0; t < count; ++t) {
    if (t + 1 < count) {
      a.fetch(gemm.a.pitch);
      b.fetch(gemm.b.pitch);
    }
    const uint32_t stage = base + static_cast<uint32_t>(t % 2 * Tile::kStageBytes);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      MmaFragments<Tile> fragments;
      warp.load(fragments, stage, step);
      warp.multiply(fragments, step == 0, step == kSteps - 1);
    }
    if (t + 1 < count) store((t + 1) % 2);
    __syncthreads();
  }
}

// Integer sums wrap.
__device__ __forceinline__ float add_sums(float x, float y) { return x + y; }
__device__ __forceinline__ int32_t add_sums(int32_t x, int32_t y) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) + static_cast<uint32_t>(y));
}

// A block's sums to memory. Runs wait in shared memory, where the loop that stores them finds them by a run-time index; what a
// thread puts there it takes out itself.
template <class Tile, class Warp>
__device__ __forceinline__ void mma_store_tile(const MmaGemm &gemm, const Warp &warp, unsigned char *shared,
                                               const MmaStore::Origin &at) {
  using Run = Pack<typename Tile::Sum, 4>;
  const int lane = threadIdx.x % 32;
  const MmaStore::Scalars scalars = gemm.store.scalars();
  Run *runs = reinterpret_cast<Run *>(shared) + threadIdx.x;
  constexpr int kOfRow = 2 * Warp::kBlocksN;  // runs of a block row
  __syncthreads();                            // the stages are free
#pragma unroll
  for (int i = 0; i < Warp::kBlocksM; ++i) {
#pragma unroll
    for (int run = 0; run < kOfRow; ++run) {
      Run x;
      warp.run(x.v, lane, i, run / 2, run % 2);
      runs[run * Tile::kThreads] = x;
    }
#pragma unroll 1
    for (int run = 0; run < kOfRow; ++run) {
      int32_t r, c;
      Warp::place(threadIdx.x, i, run / 2, run % 2, &r, &c);
      Run x = runs[run * Tile::kThreads];
      gemm.store.run(scalars, at, r, c, x.v);
    }
  }
}

// The same for a tile that may have a cluster: of 2^log blocks, rank q stores the runs of the q-th part of the threads.
template <class Tile, class Warp>
__device__ __forceinline__ void mma_store_small_tile(const MmaGemm &gemm, const Warp &warp, unsigned char *shared,
                                                     uint32_t base, const MmaStore::Origin &origin, int32_t rank,
                                                     int32_t log) {
  using Sum = typename Tile::Sum;
  using Run = Pack<Sum, 4>;
  constexpr int kOfRow = 2 * Warp::kBlocksN, kMostRanks = 8;
  const int lane = threadIdx.x % 32, thread = static_cast<int>(threadIdx.x);
  constexpr int kLogThreads = Tile::kThreads == 128 ? 7 : 8;
  static_assert(Tile::kThreads == 1 << kLogThreads, "a power of two");
  const int log_threads = kLogThreads - log, threads = 1 << log_threads;  // of a rank
  Run *inbox = reinterpret_cast<Run *>(shared + Tile::kInbox);
  const MmaStore::Scalars scalars = gemm.store.scalars();
  // The common case from the registers: the whole tile exists, is aligned, and C is not read.
  if (log == 0 && gemm.store.is_simple(origin, Tile::kM, Tile::kN)) {
#pragma unroll
    for (int i = 0; i < Warp::kBlocksM; ++i) {
#pragma unroll
      for (int run = 0; run < kOfRow; ++run) {
        Run x;
        warp.run(x.v, lane, i, run / 2, run % 2);
        int32_t r, c;
        Warp::place(thread, i, run / 2, run % 2, &r, &c);
        gemm.store.simple(scalars, origin, r, c, x.v);
      }
    }
    return;
  }
  if (log != 0) cluster_wait();
#pragma unroll
  for (int i = 0; i < Warp::kBlocksM; ++i) {
#pragma unroll
    for (int run = 0; run < kOfRow; ++run) {
      Run x;
      warp.run(x.v, lane, i, run / 2, run % 2);
      if (log != 0) {
        const int slot = ((rank * Tile::kRuns + i * kOfRow + run) << log_threads) + (thread & (threads - 1));
        cluster_send(base + static_cast<uint32_t>(Tile::kInbox + slot * 16), base + Tile::kBarrier,
                     static_cast<uint32_t>(thread >> log_threads), x.v);
      } else {
        inbox[(i * kOfRow + run) * Tile::kThreads + thread] = x;
      }
    }
  }
  if (log != 0) cluster_wait_inbox(base + Tile::kBarrier);
#pragma unroll 1
  for (int at = thread; at < Tile::kRuns * threads; at += Tile::kThreads) {
    Run x = inbox[at];
#pragma unroll
    for (int from = 1; from < kMostRanks; ++from) {
      if (from >> log != 0) break;
      const Run more = inbox[from * Tile::kRuns * threads + at];
#pragma unroll
      for (int e = 0; e < 4; ++e) x.v[e] = add_sums(x.v[e], more.v[e]);
    }
    const int run = at >> log_threads;
    int32_t r, c;
    Warp::place((rank << log_threads) + (at & (threads - 1)), run / kOfRow, run / 2 % Warp::kBlocksN, run % 2, &r, &c);
    gemm.store.run(scalars, origin, r, c, x.v);
  }
}

template <class Tile, bool kAlongA, bool kAlongB>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks) gemm_mma_kernel(const __grid_constant__ MmaGemm gemm) {
#ifdef __CUDA_ARCH__
  // Async tiles need cp.async; elsewhere the host takes a staged one.
  constexpr int kLeast =
      Tile::kStaged || kMmaLeastArch < typename Tile::A >> 800 ? kMmaLeastArch<typename Tile::A> : 800;
  if constexpr (__CUDA_ARCH__ >= kLeast) {
    extern __shared__ __align__(1024) unsigned char mma_shared[];
    const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(mma_shared));
    constexpr bool kClusters = Tile::kClusters && __CUDA_ARCH__ >= 900;
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();  // the next kernel may set itself up; it waits, too
#endif
    if (kClusters && gemm.cluster != 0) {
      if (threadIdx.x == 0) cluster_open_inbox(base + Tile::kBarrier, Tile::kM * Tile::kN * 4);
      __syncwarp();
      cluster_arrive();
    }

    // Parts of a tile are neighbours; tiles go down stripes of 8 rows, so that blocks running together share columns of B.
    const uint32_t splits = static_cast<uint32_t>(gemm.splits);
    uint32_t tile = blockIdx.x, part = 0;
    if (splits > 1) {
      tile = blockIdx.x / splits;
      part = blockIdx.x - tile * splits;
    }
    constexpr uint32_t kStripe = 8;
    uint32_t tile_m = tile, tile_n = 0;
    if (gemm.tiles_n > 1) {
      const uint32_t per_stripe = kStripe * static_cast<uint32_t>(gemm.tiles_n), stripe = tile / per_stripe;
      const uint32_t rows = min(static_cast<uint32_t>(gemm.tiles_m) - stripe * kStripe, kStripe);
      const uint32_t in_stripe = tile - stripe * per_stripe;
      tile_n = in_stripe / rows;
      tile_m = stripe * kStripe + in_stripe - tile_n * rows;
    }
    const int32_t row = static_cast<int32_t>(tile_m * Tile::kM), col = static_cast<int32_t>(tile_n * Tile::kN);
    const uint32_t depths = (static_cast<uint32_t>(gemm.k) + Tile::kDepth - 1) / Tile::kDepth;
    uint32_t first = 0, end = depths;
    if (splits > 1) first = depths * part / splits, end = depths * (part + 1) / splits;
    const int32_t depth = static_cast<int32_t>(first) * Tile::kDepth, count = static_cast<int32_t>(end - first);

    for (int32_t p = static_cast<int32_t>(blockIdx.z); p < gemm.batch; p += static_cast<int32_t>(gridDim.z)) {
      using Warp = MmaWarp<Tile, kAlongA, kAlongB>;
      Warp warp(threadIdx.x % 32, threadIdx.x / 32);
      if (p >= static_cast<int32_t>(gridDim.z)) __syncthreads();  // the last matrix's sums have been read
      const MmaStore::Origin origin = gemm.store.origin(p, part, row, col, gemm.m, gemm.n);
      if constexpr (Tile::kStaged)
        mma_main_loop_staged<Tile>(gemm, warp, mma_shared, base, p, row, col, depth, count);
      else
        mma_main_loop_async<Tile>(gemm, warp, base, p, row, col, depth, count);
      if constexpr (Tile::kClusters)
        mma_store_small_tile<Tile>(gemm, warp, mma_shared, base, origin, static_cast<int32_t>(part),
                                   kClusters ? gemm.cluster : 0);
      else
        mma_store_tile<Tile>(gemm, warp, mma_shared, origin);
    }
  }
#endif
}

}  // namespace gpuopt

#endif
