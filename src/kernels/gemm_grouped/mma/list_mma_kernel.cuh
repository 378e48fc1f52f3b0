// Products of a list by mma.sync: the tiles and the main loop of gemm/mma, over tiles that are found on the device.
//
// Idea and data movement. gemm/mma/mma_kernel.cuh's: stages of A and B stream through shared memory by cp.async, warps keep sums in
// registers. Blocks stay and take tile after tile: numbers of tiles are drawn from a counter of the launch, so that one whose
// products are short takes more of them, and drawn while the tile before is multiplied. A warp finds what a number means
// (list_walk.cuh) while the others store. Sums go through shared memory, where the stages were, so that what is done to them
// has all registers: alpha and a C like D at once, all else as any epilogue has it.
#pragma once

#include "gemm/common/gemm_epilogue.cuh"
#include "gemm/mma/mma_loop.cuh"
#include "gemm_grouped/common/list_walk.cuh"
#include "gemm_grouped/mma/list_mma_entry.h"

namespace gpuopt {

// A thread's sums to shared memory and from there to D.
template <class Tile, class Warp>
__device__ __forceinline__ void list_store(const ListWork &work, const GemmEpilogue<float> &epilogue, const Warp &warp,
                                           unsigned char *shared, const ListTile<GroupProduct> &at) {
  using Four = Pack<float, 4>;
  static_assert(Tile::kM * Tile::kN * 4 <= Tile::kStages * Tile::kStageBytes, "sums lie where stages were");
  constexpr int kOfRow = 2 * Warp::kBlocksN;  // runs of a block row
  Four *const runs = reinterpret_cast<Four *>(shared) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < Warp::kBlocksM; ++i) {
#pragma unroll
    for (int run = 0; run < kOfRow; ++run) {
      Four x;
      warp.run(x.v, static_cast<int>(threadIdx.x % 32), i, run / 2, run % 2);
      runs[(i * kOfRow + run) * Tile::kThreads] = x;
    }
  }
  const GroupProduct &x = at.x;
  MmaStore store = work.store;
  store.d = x.d;
  store.d_pitch = x.ldd;
  store.c_pitch = x.ldc;
  store.c = work.reads_c ? x.c : nullptr;
  if (x.k == 0) {  // an empty sum has no factor, not even an infinite one
    store.alpha = 0;
    store.alpha_ptr = nullptr;
  }
  const MmaStore::Scalars scalars = store.scalars();
  const MmaStore::Origin origin =
      store.origin(0, 0, at.row, at.col, static_cast<int32_t>(x.m), static_cast<int32_t>(x.n));
#pragma unroll 1
  for (int i = 0; i < Tile::kRuns; ++i) {
    int32_t r, c;
    Warp::place(static_cast<int>(threadIdx.x), i / kOfRow, i % kOfRow / 2, i % 2, &r, &c);
    if (r >= origin.rows || c >= origin.cols) continue;
    Four sum = runs[i * Tile::kThreads];
    if (work.plain) {
      store.run(scalars, origin, r, c, sum.v);
    } else {
      const Run run = {at.product, at.row + r, at.col + c, 0, 1, min(origin.cols - c, 4)};
      gemm_epilogue(epilogue, group_view(epilogue.c, x.c, x.ldc, work.list.bounds.c_rows),
                    group_view(epilogue.d, x.d, x.ldd, true), x.k == 0, run, sum.v);
    }
  }
}

template <class Tile, bool kAlongB>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    gemm_grouped_mma_kernel(const __grid_constant__ ListWork work,
                            const __grid_constant__ GemmEpilogue<float> epilogue) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ __align__(1024) unsigned char mma_shared[];
  __shared__ ListTile<GroupProduct> tiles[2];  // the one that is multiplied, and the next
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(mma_shared));
  const bool finds = threadIdx.x < 32;
  ListWalk<GroupList, Tile::kM, Tile::kN> walk(work.list);
  uint32_t number = blockIdx.x;
  if (finds) walk.find(work.list, number, &tiles[0]);
  for (int now = 0;; now ^= 1) {
    __syncthreads();  // the next tile is known, and the sums of the one before have left shared memory
    const ListTile<GroupProduct> &at = tiles[now];
    if (at.product < 0) break;
    uint32_t taken = 0;
    if (threadIdx.x == 0) taken = atomicAdd(work.taken, 1u);
    MmaGemm one = {};
    one.a = {static_cast<const char *>(at.x.a), at.x.lda * static_cast<int64_t>(sizeof(typename Tile::A)), 0};
    one.b = {static_cast<const char *>(at.x.b), at.x.ldb * static_cast<int64_t>(sizeof(typename Tile::B)), 0};
    one.m = static_cast<int32_t>(at.x.m);
    one.n = static_cast<int32_t>(at.x.n);
    one.k = static_cast<int32_t>(at.x.k);
    using Warp = MmaWarp<Tile, true, kAlongB>;
    Warp warp(static_cast<int>(threadIdx.x % 32), static_cast<int>(threadIdx.x / 32));
    mma_main_loop_async<Tile>(one, warp, base, 0, at.row, at.col, 0, (one.k + Tile::kDepth - 1) / Tile::kDepth);
    __syncthreads();  // the stages are free
    if (finds) {
      number = gridDim.x + __shfl_sync(0xffffffffu, taken, 0);
      walk.find(work.list, number, &tiles[now ^ 1]);
    }
    list_store<Tile>(work, epilogue, warp, mma_shared, at);
  }
  // As many numbers are drawn as there are tiles: who drew the last leaves the counter as it was.
  if (finds) {
    const uint32_t seen = walk.seen();
    if (threadIdx.x == 0 && number - gridDim.x + 1 == seen) *work.taken = 0;
  }
#endif
}

}  // namespace gpuopt
