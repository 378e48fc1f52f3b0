// Products of few rows or columns by wgmma: the large operand is read once, at the speed of memory.
//
// Idea and data movement. 64 lines of the large operand are the 64 rows that a warpgroup's instruction multiplies, whichever
// side of D they are; the few lines of the small one, 8 to 128, are its columns. A warp asks the tensor memory accelerator
// for stages of 128 bytes of k of both, as far ahead as the ring goes, and one warpgroup multiplies them: two such
// blocks fit a multiprocessor and have some 100 to 190 KB under way, so that one's beginning and end hide behind the
// other's; or one has all of it, where tiles are large and blocks few. k is split over the blocks of a cluster until they
// fill the chip, and a tile has fewer lines than 64 where that shares them out evenly: what lies behind them in the ring
// is multiplied, too, and read by nobody. In the end each sends every other its share of the sums into shared memory
// (mma_cluster.cuh), which is added in the order of the ranks.
//
// Before it waits for what comes before it in the stream, a block asks L2, and nothing nearer, for its first stages of the
// large operand: they are read only afterwards, so what a predecessor still writes there is seen.
#pragma once

#include "common/element.cuh"
#include "common/wait_for_stream.cuh"
#include "gemm/common/add_c.cuh"
#include "gemm/common/exact_result.cuh"
#include "gemm/mma/mma_cluster.cuh"
#include "gemm/wgmma/wgmma_skinny_entry.h"

namespace gpuopt {

// Shared memory of a block: the inbox of a cluster that shares k, the ring, barriers of its stages, the inbox's barrier.
template <class Tile>
struct WgmmaSkinnyShared {
  char *inbox, *ring, *barriers;
  uint64_t *inbox_barrier;

  __device__ __forceinline__ WgmmaSkinnyShared(char *shared, const WgmmaSkinny &g)
      : inbox(shared),
        ring(shared + (g.log_ranks != 0 ? Tile::kInboxBytes : 0)),
        barriers(ring + g.ring_bytes),
        inbox_barrier(reinterpret_cast<uint64_t *>(barriers) + 2 * g.stages) {}
  static __device__ __forceinline__ uint32_t address(const void *at) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(at));
  }
};

// Stages that are asked for early: enough from one kernel to the next. Of more some come twice: what is read pushes them out of L2.
constexpr int32_t kWgmmaSkinnyPrefetched = 4;

// Asks L2 for the boxes that wgmma_copy() brings.
template <bool kAlongK, int kExtent>
__device__ __forceinline__ void wgmma_prefetch(const CUtensorMap &map, int32_t extent, int32_t depth, int32_t p) {
  constexpr int kBox = kAlongK ? kExtent : 64;
#pragma unroll
  for (int i = 0; i < kExtent / kBox; ++i) {
    const int32_t first = kAlongK ? depth : extent + i * 64, second = kAlongK ? extent : depth;
    asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(&map), "r"(first),
                 "r"(second), "r"(p)
                 : "memory");
  }
}

// Of tiles that promote: wgmma_promoting.cuh.
template <class Tile, class Stage>
__device__ __forceinline__ void wgmma_promote_whole(float (&sums)[Tile::kBlocks][Tile::kSums], WgmmaRing<Tile> &ring,
                                                    int32_t stages, Stage &&stage);

// Where a block's results go, and how: element by element, or, where D's rows are whole vectors of 16-bit elements that nothing is
// added to, through shared memory, which the ring needs no more, by 16 bytes.
template <class Tile>
struct WgmmaSkinnyOut {
  using Sum = typename Tile::Sum;
  const WgmmaStore &store;
  WgmmaStore::Scalars scalars;
  int32_t p, row, col, many, few, rank, log;  // row: of the many, which end with the tile
  bool few_are_rows;
  char *tile;

  // A rank's lines are then neighbours by eights.
  __device__ __forceinline__ bool by_vectors() const {
    return !std::is_same_v<Sum, int32_t> && store.by_panels && store.dtype != GPUOPT_F32 &&
           log <= kWgmmaSkinnyVectorsLog;
  }
  // Around the put() of all threads.
  __device__ __forceinline__ void begin() const {
    if (by_vectors()) barrier_sync(kStoreBarrier, Tile::kMathThreads);
  }
  __device__ __forceinline__ void end() const {
    begin();
    if (by_vectors()) put_vectors();
  }
  __device__ __forceinline__ void put(int thread, int quad, const Sum (&x)[4]) const {
    const auto [r, c] = wgmma_quad_place(thread, quad, Tile::kN);
    if constexpr (std::is_same_v<Sum, int32_t>) {
      int32_t word[4] = {x[0], x[1], x[2], x[3]};
      exact_words(store.dtype, exact_factor(store), word);
      store.dtype == GPUOPT_I8 ? put_as<int8_t>(r, c, word) : put_as<int32_t>(r, c, word);
    } else {
      if (store.dtype == GPUOPT_F32) return put_as<float>(r, c, x);
      if constexpr (sizeof(typename Tile::A) == 2) {
        put_as<typename Tile::A>(r, c, x);
      } else {
        if (store.dtype == GPUOPT_F16)
          put_as<__half>(r, c, x);
        else
          put_as<__nv_bfloat16>(r, c, x);
      }
    }
  }

 private:
  static constexpr int kVector = 8;  // elements; also what keeps the rows of the tile in other banks
  // i of the many, j of the few.
  __device__ __forceinline__ char *at(int i, int j) const {
    return tile + 2 * (few_are_rows ? j * (Tile::kM + kVector) + i : i * (Tile::kN + kVector) + j);
  }

  template <class T>
  __device__ __forceinline__ void put_as(int32_t r, int32_t c, const Sum (&x)[4]) const {
    if (sizeof(T) == 2 && by_vectors()) {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        *reinterpret_cast<T *>(at(r + e / 2 * 8, c + e % 2)) = narrow<T>(x[e] * scalars.alpha);
      return;
    }
    const bool reads_c = store.c != nullptr && scalars.beta != 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int32_t i = row + r + e / 2 * 8, j = col + c + e % 2;
      if (i >= many || j >= few) continue;
      const int64_t line = few_are_rows ? j : i, in_line = few_are_rows ? i : j;
      T *const to = static_cast<T *>(store.d) + p * store.d_batch + line * store.d_pitch + in_line;
      if constexpr (std::is_same_v<Sum, int32_t>) {
        *to = static_cast<T>(x[e]);
      } else {
        float value = x[e] * scalars.alpha;
        if (reads_c)
          value =
              add_c(value, scalars.beta,
                    widen<float>(static_cast<const T *>(store.c)[p * store.c_batch + line * store.c_pitch + in_line]));
        *to = narrow<T>(value);
      }
    }
  }

  __device__ __forceinline__ void put_vectors() const {
    constexpr int kFewVectors = Tile::kN / kVector;
    // Logarithms of a rank's lines of 64, and of its vectors of a row of D, as the many lie along it.
    const int log_lines = 6 - log, log_row = log_lines - 3 + Tile::kBlocks - 1;
#pragma unroll 1
    for (int o = static_cast<int>(threadIdx.x); o < Tile::kM * kFewVectors >> log; o += Tile::kMathThreads) {
      const int own = few_are_rows ? (o & ((1 << log_row) - 1)) * kVector : o / kFewVectors;
      const int i = (own >> log_lines) * 64 + (rank << log_lines) + (own & ((1 << log_lines) - 1));
      const int j = few_are_rows ? o >> log_row : o % kFewVectors * kVector;
      if (row + i >= many || col + j >= few) continue;
      const int64_t line = few_are_rows ? col + j : row + i, in_line = few_are_rows ? row + i : col + j;
      uint16_t *const to = static_cast<uint16_t *>(store.d) + p * store.d_batch + line * store.d_pitch + in_line;
      *reinterpret_cast<uint4 *>(to) = *reinterpret_cast<const uint4 *>(at(i, j));
    }
  }
};

// The sums of a cluster of 2^log blocks: those of the q-th part of the threads go to rank q, which adds and stores them.
template <class Tile>
__device__ __forceinline__ void wgmma_skinny_exchange(const typename Tile::Sum (&sums)[Tile::kBlocks][Tile::kSums],
                                                      const WgmmaSkinnyShared<Tile> &shared, int32_t rank, int32_t log,
                                                      const WgmmaSkinnyOut<Tile> &out) {
  using Sum = typename Tile::Sum;
  using Quad = Pack<Sum, 4>;
  const int thread = static_cast<int>(threadIdx.x);
  const WgmmaSkinnyShares shares = {log, Tile::kQuads};
  const auto address = [&](const void *at) {
    return cluster_address(shared.address(at), static_cast<uint32_t>(shares.taker(thread)));
  };
  const uint32_t to = address(shared.inbox), barrier = address(shared.inbox_barrier);
  cluster_wait();  // every inbox is open
#pragma unroll
  for (int quad = 0; quad < Tile::kQuads; ++quad) {
    Sum x[4];
    wgmma_skinny_quad<Tile>(sums, quad, x);
    cluster_send(to + static_cast<uint32_t>(shares.slot(rank, thread, quad) * 16), barrier, x);
  }
  cluster_wait_inbox(shared.address(shared.inbox_barrier));
  const Quad *const parts = reinterpret_cast<const Quad *>(shared.inbox);
  out.begin();
#pragma unroll 1
  for (int at = thread; at < shares.count(); at += Tile::kMathThreads) {
    Quad sum = parts[at];
#pragma unroll
    for (int from = 1; from < 1 << kWgmmaSkinnyMostLog; ++from) {
      if (from >> log != 0) break;
      add_run(sum, parts[from * shares.count() + at]);
    }
    out.put(shares.thread(rank, at), shares.quad(at), sum.v);
  }
  out.end();
}

template <class Tile, bool kAlongMany>
__global__ void __launch_bounds__(Tile::kThreads, 2)
    gemm_wgmma_skinny_kernel(const __grid_constant__ CUtensorMap map_many, const __grid_constant__ CUtensorMap map_few,
                             const __grid_constant__ WgmmaSkinny g, const __grid_constant__ WgmmaStore store) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char wgmma_shared[];
  const WgmmaSkinnyShared<Tile> shared(
      wgmma_shared + (1024 - static_cast<uint32_t>(__cvta_generic_to_shared(wgmma_shared)) % 1024) % 1024, g);
  WgmmaRing<Tile> ring(shared.ring, shared.barriers, false, {g.stages, g.slot_bytes, g.lines * 128});
  allow_successor();
  if (threadIdx.x == 0) {
    ring.init();
    if (g.log_ranks != 0) cluster_open_inbox(shared.address(shared.inbox_barrier), Tile::kInboxBytes);
  }
  __syncthreads();
  if (g.log_ranks != 0) cluster_arrive();

  const uint32_t unit = blockIdx.x >> g.log_ranks;
  const auto rank = static_cast<int32_t>(blockIdx.x - (unit << g.log_ranks));
  const uint32_t line = unit / static_cast<uint32_t>(g.tiles_few);
  const auto p = static_cast<int32_t>(line / static_cast<uint32_t>(g.tiles_many));
  const auto col = static_cast<int32_t>(unit - line * static_cast<uint32_t>(g.tiles_few)) * Tile::kN;
  const auto row =
      static_cast<int32_t>(line - static_cast<uint32_t>(p) * static_cast<uint32_t>(g.tiles_many)) * g.lines;
  const WgmmaSkinnySpan span = wgmma_skinny_span((g.k + Tile::kDepth - 1) / Tile::kDepth, rank, g.log_ranks);

  if (threadIdx.x >= Tile::kMathThreads) {
    const int32_t p_many = g.batched_many ? p : 0, p_few = g.batched_few ? p : 0;
    if (blockIdx.x < static_cast<uint32_t>(g.prefetching)) {
#pragma unroll 1
      for (int32_t t = span.begin; t < min(span.end, span.begin + kWgmmaSkinnyPrefetched); ++t)
        if (elect_one()) wgmma_prefetch<kAlongMany, Tile::kM>(map_many, row, t * Tile::kDepth, p_many);
    }
    wait_for_predecessors();
#pragma unroll 1
    for (int32_t t = span.begin; t < span.end; ++t) {
      ring.fill(g.stage_bytes, [&] {
        wgmma_copy<kAlongMany, Tile::kM>(map_many, ring.stage(), ring.full(), row, t * Tile::kDepth, p_many);
        wgmma_copy<Tile::kAlongFew, Tile::kFewLines>(map_few, ring.stage() + ring.a_bytes(), ring.full(), col,
                                                     t * Tile::kDepth, p_few);
      });
    }
    if (g.log_ranks != 0) cluster_wait();  // none leaves in the phase that it arrived in
    return;
  }

  wait_for_predecessors();
  typename Tile::Sum sums[Tile::kBlocks][Tile::kSums];
  const auto stage = [&](bool adds, auto &to, WgmmaFrom from) {
    wgmma_stage<Tile, kAlongMany, Tile::kAlongFew, Tile::kBlocks, Tile::kN>(to, from, adds);
  };
  if constexpr (Tile::kPromotes)
    wgmma_promote_whole<Tile>(sums, ring, span.end - span.begin,
                              [&](auto &to, int, WgmmaFrom from) { stage(false, to, from); });
  else
    wgmma_adding_loop<Tile>(sums, ring, span.end - span.begin, 0, stage);

  const WgmmaSkinnyOut<Tile> out = {
      store,       store.scalars(), p,          row, col, min(g.many, row + g.lines), g.few, rank,
      g.log_ranks, g.few_are_rows,  shared.ring};
  if (g.log_ranks != 0) {
    __syncwarp();
    return wgmma_skinny_exchange<Tile>(sums, shared, rank, g.log_ranks, out);
  }
  out.begin();
#pragma unroll
  for (int quad = 0; quad < Tile::kQuads; ++quad) {
    typename Tile::Sum x[4];
    wgmma_skinny_quad<Tile>(sums, quad, x);
    out.put(static_cast<int>(threadIdx.x), quad, x);
  }
  out.end();
#endif
}

}  // namespace gpuopt
