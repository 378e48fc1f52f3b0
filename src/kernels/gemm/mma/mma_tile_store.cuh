// The end of a tile: runs of four sums of a row go from the warps that hold them to memory.
#pragma once

#include "gemm/mma/mma_warp.cuh"

namespace gpuopt {

// What is done to a run's sums first, from row and column of the tile on: nothing.
struct MmaUnchanged {
  template <class Sum>
  __device__ __forceinline__ void operator()(int32_t, int32_t, Sum (&)[4]) const {}
};

// A block's sums to memory. Runs wait in shared memory, where the loop that stores them finds them by a run-time index;
// what a thread puts there it takes out itself.
template <class Tile, class Warp, class Change = MmaUnchanged>
__device__ __forceinline__ void mma_store_tile(const MmaGemm &gemm, const Warp &warp, unsigned char *shared,
                                               const MmaStore::Origin &at, const Change &change = {}) {
  using Run = Pack<typename Tile::Sum, 4>;
  const int lane = threadIdx.x % 32;
  const MmaStore::Scalars scalars = gemm.store.scalars();
  Run *runs = reinterpret_cast<Run *>(shared) + threadIdx.x;
  constexpr int kOfRow = 2 * Warp::kBlocksN;  // runs of a block row
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
      change(r, c, x.v);
      gemm.store.run(scalars, at, r, c, x.v);
    }
  }
}

}  // namespace gpuopt
