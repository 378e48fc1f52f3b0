// mma.sync fed by the tensor memory accelerator: one warp asks for tiles, the others only read fragments and multiply.
//
// Idea and data movement. The tensor core's share of mma.sync is a warp's 64 x 64 sums: 32 products for 8 ldmatrix.
// Beside these there is room for little else: shared memory gives 128 bytes a clock, of which the fragments of eight
// such warps take two thirds and the tiles' arrival a quarter. So tiles come without instructions (a box of 128-byte
// rows, swizzled by the hardware just as SharedTile reads it), and nobody waits at a block-wide barrier: a stage has a
// barrier that opens when its bytes are there, and one that opens when all warps have read it. Blocks are persistent:
// while the last tile is stored the next one's stages arrive. Fragments are read one step ahead, two ldmatrix before
// every eight products.
#pragma once

#include <cuda.h>

#include <cuda/ptx>

#include "common/dtypes.cuh"
#include "gemm/common/stage_ring.cuh"
#include "gemm/mma/mma_tile_store.cuh"
#include "gemm/mma/mma_tma_work.cuh"

namespace gpuopt {

// Like MmaTile; shared memory holds the stages, the runs of one block row on their way out, and the barriers.
template <class Type, int M, int N, int WarpsM, int WarpsN, int Stages, int Stripe>
struct MmaTmaTile : MmaTile<Type, Type, M, N, 128, WarpsM, WarpsN, Stages, 1> {
  using Base = MmaTile<Type, Type, M, N, 128, WarpsM, WarpsN, Stages, 1>;
  static constexpr bool kClusters = false;
  static constexpr int kStripe = Stripe;                           // rows of tiles that go down together
  static constexpr int kMathRegisters = 232, kCopyRegisters = 40;  // of 65536, by three warpgroups
  static constexpr int kRunBytes = Base::kThreads * (Base::kWarpN / 8) * 16;
  static constexpr int kBarriers = Base::kStageBytes * Stages + kRunBytes;
  static constexpr int kShared = kBarriers + 2 * Stages * 8;
  static constexpr int kBlockThreads =
      Base::kThreads + 128;  // a warpgroup copies, as registers are handed over by those
  static_assert(Base::kThreads == 256, "two warpgroups multiply");
  static_assert(Base::kWarpM == 64 && Base::kWarpN == 64, "a warp's fragments lie in one panel of each operand");
};

template <class Tile>
using MmaRing = StageRing<Tile::kStages, Tile::kStageBytes, Tile::kThreads / 32>;

// Asks for the boxes of one operand's tile: rows (of m or n) from `extent` on, k from `depth` on.
template <class Shared>
__device__ __forceinline__ void copy_tile_by_tma(const CUtensorMap &map, char *to, uint64_t *full, int32_t extent,
                                                 int32_t depth, int32_t p) {
  namespace ptx = cuda::ptx;
  if constexpr (Shared::kIsKMajor) {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, {depth, extent, p}, full);
  } else {
#pragma unroll
    for (int panel = 0; panel < Shared::kPanels; ++panel) {
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to + panel * (Shared::kRows * Shared::kPitch),
                                &map, {extent + panel * (Shared::kPitch / Shared::kElement), depth, p}, full);
    }
  }
}

// The sums of `count` stages of k. In each step the next step's fragments are read between the products.
template <class Tile, class Warp>
__device__ __forceinline__ void mma_main_loop_ring(Warp &warp, MmaRing<Tile> &ring, int32_t count) {
  constexpr int kSteps = Tile::kSteps;
  static_assert(kSteps % 2 == 0, "fragments alternate by compile-time indices");
  if (count == 0) return;
  MmaFragments<Tile> fragments[2];
  ring.wait_full();
  uint32_t stage = static_cast<uint32_t>(__cvta_generic_to_shared(ring.stage()));
  warp.load(fragments[0], stage, 0);
  for (; count > 0; --count) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      MmaFragments<Tile> &now = fragments[step % 2], &next = fragments[(step + 1) % 2];
      const bool last = step + 1 == kSteps;
      if (last) {
        ring.arrive_empty();  // all of the stage has been read
        ring.advance();
        if (count > 1) {
          ring.wait_full();
          stage = static_cast<uint32_t>(__cvta_generic_to_shared(ring.stage()));
        }
      }
#pragma unroll
      for (int i = 0; i < Warp::kBlocksM; ++i) {
        if (!last || count > 1) {
          warp.load_a(next.a[i], stage, last ? 0 : step + 1, i);
          if (i < Warp::kBlocksN) warp.load_b(next.b[i], stage, last ? 0 : step + 1, i);
        }
#pragma unroll
        for (int j = 0; j < Warp::kBlocksN; ++j) warp.multiply_block(now.a[i], now.b[j], i, j, false, false);
      }
    }
  }
}

// The common case of a tile's end: all of it exists, rows are aligned to 16 bytes, C is not read, D is of A's type.
// Each warp turns 32 rows at a time into whole lines of 128 bytes in shared memory of its own, swizzled as the stages
// are: stores from the registers would touch eight lines an instruction.
template <class Tile, class Warp>
__device__ __forceinline__ bool mma_store_whole_tile(const MmaGemm &gemm, const Warp &warp, unsigned char *shared,
                                                     const MmaStore::Origin &at) {
  using T = typename Tile::A;
  static_assert(sizeof(T) == 2 && Tile::kWarpN == 64, "a warp's row is a line");
  const MmaStore &store = gemm.store;
  if (store.dtype != dtype_of<T> || !store.is_simple(at, Tile::kM, Tile::kN)) return false;
  T *const d = static_cast<T *>(store.d) + at.d;
  if (((reinterpret_cast<uintptr_t>(d) | static_cast<uintptr_t>(store.d_pitch * 2)) & 15) != 0) return false;
  const float alpha = store.scalars().alpha;
  const int lane = threadIdx.x % 32, index = threadIdx.x / 32;
  unsigned char *const mine = shared + index * 4096;
  const int row = lane % 16, half = lane / 16;  // of the stmatrix address that this lane gives
  const uint32_t to = static_cast<uint32_t>(__cvta_generic_to_shared(mine)) + static_cast<uint32_t>(row * 128);
  T *const line = d + (index % Tile::kWarpsM * Tile::kWarpM + lane / 8) * store.d_pitch +
                  index / Tile::kWarpsM * Tile::kWarpN + lane % 8 * 8;
#pragma unroll
  for (int first = 0; first < Warp::kBlocksM; first += 2) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int pair = 0; pair < Warp::kBlocksN; ++pair) {
        uint32_t word[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float *x = &warp.sum[first + i][2 * pair + e / 2][e % 2 * 2];
          Pack<T, 2> two;
          two.v[0] = narrow<T>(x[0] * alpha);
          two.v[1] = narrow<T>(x[1] * alpha);
          memcpy(&word[e], &two, 4);
        }
        const uint32_t chunk = static_cast<uint32_t>((2 * pair + half) ^ (row & 7));
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         to + static_cast<uint32_t>(i * 2048) + chunk * 16),
                     "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
                     : "memory");
      }
    }
    __syncwarp();
#pragma unroll
    for (int r = 0; r < 32; r += 4) {
      const int place = (r + lane / 8) * 128 + (lane % 8 ^ ((r + lane / 8) & 7)) * 16;
      *reinterpret_cast<uint4 *>(line + (first * 16 + r) * store.d_pitch) =
          *reinterpret_cast<const uint4 *>(mine + place);
    }
    __syncwarp();
  }
  return true;
}

template <class Tile, bool kAlongA, bool kAlongB>
__global__ void __launch_bounds__(Tile::kBlockThreads, Tile::kBlocks)
    gemm_mma_tma_kernel(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                        const __grid_constant__ MmaTmaGemm gemm) {
#if __CUDA_ARCH__ >= 900
  using Warp = MmaWarp<Tile, kAlongA, kAlongB>;
  extern __shared__ __align__(1024) unsigned char mma_shared[];
  char *const shared = reinterpret_cast<char *>(mma_shared);
  MmaRing<Tile> ring(shared, shared + Tile::kBarriers);
  if (threadIdx.x == 0) ring.init_for_tma();
  __syncthreads();
  if (threadIdx.x >= Tile::kThreads) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Tile::kCopyRegisters));
    if (threadIdx.x != Tile::kThreads) return;
    MmaTmaWork<Tile> work;
    for (uint32_t n = 0; work.begin(gemm, n); ++n) {
      const MmaTilePlace<Tile> at(gemm, work.tile);
      for (int32_t t = work.first; t < work.first + work.count; ++t) {
        ring.wait_empty();
        ring.expect();
        copy_tile_by_tma<typename Warp::SharedA>(map_a, ring.stage(), ring.full(), at.row, t * Tile::kDepth,
                                                 gemm.a.batch_step == 0 ? 0 : at.p);
        copy_tile_by_tma<typename Warp::SharedB>(map_b, ring.stage() + Warp::SharedA::kBytes, ring.full(), at.col,
                                                 t * Tile::kDepth, gemm.b.batch_step == 0 ? 0 : at.p);
        ring.advance();
      }
    }
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Tile::kMathRegisters));
  MmaTmaWork<Tile> work;
  for (uint32_t n = 0; work.begin(gemm, n); ++n) {
    Warp warp(threadIdx.x % 32, threadIdx.x / 32);
    mma_main_loop_ring<Tile>(warp, ring, work.count);
    if (work.slot >= 0) {
      mma_store_piece<Tile>(gemm.pieces + int64_t{work.slot} * (Tile::kM * Tile::kN), warp);
      continue;
    }
    const MmaTilePlace<Tile> at(gemm, work.tile);
    const MmaStore::Origin origin = gemm.store.origin(at.p, 0, at.row, at.col, gemm.m, gemm.n);
    unsigned char *const spare = mma_shared + Tile::kStageBytes * Tile::kStages;
    if (mma_store_whole_tile<Tile>(gemm, warp, spare, origin)) continue;
    // Its runs lie among each other's of all warps, of which some may be at a whole tile before or behind it.
    asm volatile("bar.sync 1, %0;" ::"n"(Tile::kThreads) : "memory");
    mma_store_tile<Tile>(gemm, warp, spare, origin);
    asm volatile("bar.sync 1, %0;" ::"n"(Tile::kThreads) : "memory");
  }
#endif
}

}  // namespace gpuopt
