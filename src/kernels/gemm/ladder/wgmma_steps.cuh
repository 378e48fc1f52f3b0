// A product by wgmma in five steps, each of which changes one thing: the device side of gemm_wgmma_steps.cu, which tells
// what the steps are. Row-major A, B and D in bf16, sums in fp32.
//
// A stage of the ring is 64 of k: lines of 128 bytes of A, a line a row; of B two panels of 64 columns, a line for each of k.
// The tensor memory accelerator (TMA) brings them swizzled, with zeros for what lies beyond the matrix, so every tile is
// whole. A warpgroup has 128 x 128 sums in each step: 128 registers of a thread.
#pragma once

#include <cuda.h>

#include <cuda/ptx>

#include "common/element.cuh"
#include "common/index.cuh"
#include "gemm/common/tile_space.cuh"
#include "gemm/wgmma/wgmma_instruction.cuh"

namespace gpuopt {

struct WgmmaStepGemm {
  int32_t m, n, stages;  // stages: of one tile
  bool batched_a, batched_b;
  float alpha;
  View d;
  TileSpace tiles;  // of a pair of blocks where they come in pairs
};

// Math warpgroups of a block; one more that only copies; blocks that stay; two of them that share B; each warpgroup a tile of its own.
template <int Math, bool Producer, bool Persistent, bool Pairs, bool Turns, int Ring>
struct WgmmaStep {
  static constexpr int kMath = Math, kRing = Ring;
  static constexpr bool kProducer = Producer, kPersistent = Persistent, kPairs = Pairs, kTurns = Turns;
  static constexpr int kThreads = (Math + (Producer ? 1 : 0)) * 128;
  static constexpr int kTileM = Turns ? 128 : 128 * Math, kTileN = 128, kDepth = 64;
  static constexpr int kBytesA = kTileM * 128, kStageBytes = kBytesA + kTileN * 128;
  static constexpr int kPanels = Ring * kStageBytes;  // then 64 x 128 results of each warpgroup, where TMA stores them
  static constexpr int kPanelBytes = 64 * 128 * 2;
  static constexpr int kBarriers = kPanels + (Persistent ? Math * kPanelBytes : 0);
  static constexpr int kShared = 1024 + kBarriers + 2 * Ring * 8;  // the swizzle wants 1024 bytes of alignment
  static_assert(kShared <= 227 * 1024, "what a block may have on sm_90");
};

// Where the ring is: a slot, and how often it has come round, of which barriers know the last bit.
template <class Step>
struct WgmmaStepRing {
  char *shared;
  int slot;
  uint32_t phase;

  __device__ __forceinline__ char *stage() const { return shared + slot * Step::kStageBytes; }
  __device__ __forceinline__ uint64_t *full() const {
    return reinterpret_cast<uint64_t *>(shared + Step::kBarriers) + slot;
  }
  __device__ __forceinline__ uint64_t *empty() const { return full() + Step::kRing; }
  __device__ __forceinline__ void advance(int by) {
    slot += by;
    phase ^= static_cast<uint32_t>(slot / Step::kRing) & 1;
    slot %= Step::kRing;
  }
  static __device__ __forceinline__ void wait(uint64_t *barrier, uint32_t parity) {
    while (!cuda::ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
  }
};

// One thread asks for stage s of the tile at (row, col). Of a pair each block asks for one panel of B, for both.
template <class Step>
__device__ __forceinline__ void wgmma_step_ask(const CUtensorMap &a, const CUtensorMap &b, const WgmmaStepGemm &gemm,
                                               const WgmmaStepRing<Step> &ring, int32_t p, int32_t row, int32_t col,
                                               int32_t s, uint32_t rank) {
  namespace ptx = cuda::ptx;
  const int32_t k = s * Step::kDepth, of_a = gemm.batched_a ? p : 0, of_b = gemm.batched_b ? p : 0;
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, ring.full(), Step::kStageBytes);
#pragma unroll
  for (int i = 0; i < Step::kTileM / 128; ++i)
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring.stage() + i * 128 * 128, &a,
                              {k, row + i * 128, of_a}, ring.full());
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    char *const panel = ring.stage() + Step::kBytesA + i * static_cast<int>(kWgmmaPanelBytes);
    if constexpr (!Step::kPairs)
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, panel, &b, {col + i * 64, k, of_b}, ring.full());
    else if (static_cast<uint32_t>(i) == rank)
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, panel, &b, {col + i * 64, k, of_b}, ring.full(),
                                3);
  }
}

// The products of one stage, 128 x 128 from `upper` on: asked for, not waited for.
template <class Step>
__device__ __forceinline__ void wgmma_step_multiply(float (&sums)[2][64], const char *stage, int upper, bool adds) {
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(stage));
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      wgmma<__nv_bfloat16, __nv_bfloat16, false, true, 64>(
          sums[i], wgmma_descriptor<true>(wgmma_address(at + static_cast<uint32_t>(upper + i * 64) * 128), step),
          wgmma_descriptor<false>(wgmma_address(at + Step::kBytesA), step), adds || step != 0);
  }
  wgmma_commit();
}

// Two neighbouring results of a thread.
__device__ __forceinline__ uint32_t wgmma_step_pair(float left, float right) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(left, right);
  uint32_t word;
  memcpy(&word, &pair, 4);
  return word;
}

// Sums to D from registers, four bytes a thread: half the sectors that a warp touches are written in part.
__device__ __forceinline__ void wgmma_step_store(const WgmmaStepGemm &gemm, const float (&sums)[2][64], int32_t p,
                                                 int32_t row, int32_t col) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
#pragma unroll
  for (int half = 0; half < 4; ++half) {
    const int32_t i = row + half / 2 * 64 + warp * 16 + half % 2 * 8 + lane / 4;
    if (i >= gemm.m) continue;
    auto *const line = static_cast<__nv_bfloat16 *>(gemm.d.data) + gemm.d.offset(p, i, 0);
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const int32_t j = col + e * 8 + lane % 4 * 2;
      const float left = gemm.alpha * sums[half / 2][e * 4 + half % 2 * 2];
      const float right = gemm.alpha * sums[half / 2][e * 4 + half % 2 * 2 + 1];
      if (j + 1 < gemm.n)
        *reinterpret_cast<uint32_t *>(line + j) = wgmma_step_pair(left, right);
      else if (j < gemm.n)
        line[j] = __float2bfloat16(left);
    }
  }
}

// The same by the TMA, which leaves out what lies beyond D: 64 rows at a time through shared memory, where they lie as TMA
// wants them, swizzled; nobody waits for their end but who needs the room again.
__device__ __forceinline__ void wgmma_step_send(const CUtensorMap &map, char *panels, const WgmmaStepGemm &gemm,
                                                const float (&sums)[2][64], int32_t p, int32_t row, int32_t col) {
  namespace ptx = cuda::ptx;
  const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32, group = threadIdx.x / 128;
  const auto together = [group] { asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory"); };
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if (threadIdx.x % 128 == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    together();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = warp * 16 + half * 8 + lane / 4;
#pragma unroll
      for (int e = 0; e < 16; ++e) {
        const float *const x = &sums[i][e * 4 + half * 2];
        const int chunk = (e % 8) ^ (at % 8);
        *reinterpret_cast<uint32_t *>(panels + e / 8 * 8192 + at * 128 + chunk * 16 + lane % 4 * 4) =
            wgmma_step_pair(gemm.alpha * x[0], gemm.alpha * x[1]);
      }
    }
    ptx::fence_proxy_async(ptx::space_shared);
    together();
    if (threadIdx.x % 128 == 0) {
#pragma unroll
      for (int right = 0; right < 2; ++right)
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, {col + right * 64, row + i * 64, p},
                                  panels + right * 8192);
      ptx::cp_async_bulk_commit_group();
    }
  }
}

__device__ __forceinline__ uint32_t wgmma_step_rank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ void wgmma_step_pair_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

template <class Step>
__global__ void __launch_bounds__(Step::kThreads, 1)
    gemm_wgmma_step_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                           const __grid_constant__ CUtensorMap map_d, const __grid_constant__ WgmmaStepGemm gemm) {
#if __CUDA_ARCH_FEAT_SM90_ALL
  namespace ptx = cuda::ptx;
  extern __shared__ char unaligned[];
  char *const shared = unaligned + (-static_cast<uint32_t>(__cvta_generic_to_shared(unaligned)) & 1023);
  WgmmaStepRing<Step> ring = {shared, 0, 0};
  const int group = static_cast<int>(threadIdx.x) / 128;
  const uint32_t rank = Step::kPairs ? wgmma_step_rank() : 0;
  if (threadIdx.x == 0) {
    constexpr int kReaders = (Step::kTurns ? 1 : Step::kMath) * (Step::kPairs ? 2 : 1);
    for (; ring.phase == 0; ring.advance(1)) {
      ptx::mbarrier_init(ring.full(), 1);
      ptx::mbarrier_init(ring.empty(), kReaders);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ring.phase = 0;
  }
  if (Step::kPairs) wgmma_step_pair_sync();
  __syncthreads();

  const int64_t first = Step::kPairs ? blockIdx.x / 2 : blockIdx.x, many = Step::kPairs ? gridDim.x / 2 : gridDim.x;
  const auto place = [&](int64_t t, int32_t *row, int32_t *col) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    *row = static_cast<int32_t>((Step::kPairs ? tile.row * 2 + rank : tile.row) * Step::kTileM);
    *col = static_cast<int32_t>(tile.col * Step::kTileN);
    return static_cast<int32_t>(tile.p);
  };
  int32_t row, col;

  if constexpr (!Step::kProducer) {
    // One warpgroup does both: before a stage is asked for again, all of it must have read what was there.
    const int32_t p = place(first, &row, &col);
    float sums[2][64];  // the first product of a tile does not add to them
    WgmmaStepRing<Step> next = ring;
    int32_t asked = 0;
    const auto ask = [&] {
      if (asked >= gemm.stages) return;
      if (threadIdx.x == 0) wgmma_step_ask(map_a, map_b, gemm, next, p, row, col, asked, rank);
      next.advance(1);
      ++asked;
    };
    for (int s = 0; s < Step::kRing - 1; ++s) ask();
    for (int32_t s = 0; s < gemm.stages; ++s) {
      ring.wait(ring.full(), ring.phase);
      wgmma_step_multiply<Step>(sums, ring.stage(), 0, s != 0);
      ring.advance(1);
      wgmma_wait<1>();
      __syncthreads();
      ask();
    }
    wgmma_wait<0>();
    wgmma_step_store(gemm, sums, p, row, col);
  } else if (group == Step::kMath) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == Step::kMath * 128) {
      for (int64_t t = first; t < gemm.tiles.total; t += many) {
        const int32_t p = place(t, &row, &col);
        for (int32_t s = 0; s < gemm.stages; ++s) {
          ring.wait(ring.empty(), ring.phase ^ 1);
          wgmma_step_ask(map_a, map_b, gemm, ring, p, row, col, s, rank);
          ring.advance(1);
        }
        if (!Step::kPersistent) break;
      }
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const auto free_stage = [&](WgmmaStepRing<Step> read) {
      if constexpr (Step::kPairs) {
        if (threadIdx.x % 128 < 2)
          asm volatile(
              "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
              "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(
                  static_cast<uint32_t>(__cvta_generic_to_shared(read.empty()))),
              "r"(threadIdx.x % 128)
              : "memory");
      } else if (threadIdx.x % 128 == 0) {
        ptx::mbarrier_arrive(read.empty());
      }
    };
    // In turns: the other warpgroup's tiles are skipped, and a main loop begins when the one before has asked for all it has.
    int64_t t = first;
    if (Step::kTurns && group == 1) {
      t += many;
      ring.advance(gemm.stages);
    }
    for (; t < gemm.tiles.total; t += many * (Step::kTurns ? 2 : 1)) {
      const int32_t p = place(t, &row, &col), upper = Step::kTurns ? 0 : group * 128;
      if (Step::kTurns && t != first) asm volatile("bar.sync %0, 256;" ::"r"(3 + group) : "memory");
      float sums[2][64];  // the first product of a tile does not add to them
      WgmmaStepRing<Step> before = ring;
      for (int32_t s = 0; s < gemm.stages; ++s) {
        ring.wait(ring.full(), ring.phase);
        wgmma_step_multiply<Step>(sums, ring.stage(), upper, s != 0);
        wgmma_wait<1>();
        if (s != 0) free_stage(before);
        before = ring;
        ring.advance(1);
      }
      if (Step::kTurns) {
        if (t + many < gemm.tiles.total) asm volatile("bar.arrive %0, 256;" ::"r"(3 + (group ^ 1)) : "memory");
        ring.advance(gemm.stages);
      }
      wgmma_wait<0>();
      free_stage(before);
      if constexpr (!Step::kPersistent) {
        wgmma_step_store(gemm, sums, p, row + upper, col);
        break;
      } else {
        wgmma_step_send(map_d, shared + Step::kPanels + group * Step::kPanelBytes, gemm, sums, p, row + upper, col);
      }
    }
    if (Step::kPersistent && threadIdx.x % 128 == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    __syncwarp();
  }
  if (Step::kPairs) wgmma_step_pair_sync();  // what the other block copies or frees here is done
#endif
}

}  // namespace gpuopt
