// Tiles from the warp that finds them and asks for their stages to the warpgroups that multiply them.
//
// Blocks take numbers of tiles as they go, from a counter of the launch, so that one whose tiles are small, or whose memory is
// near, takes more of them. A tile's place goes through a slot in shared memory: it is written before its first stage is asked
// for and read when that has come, so the ring's barriers order both. A number is drawn while the tile before is on its way.
#pragma once

#include "gemm/wgmma/wgmma_ring.cuh"
#include "gemm_grouped/wgmma/grouped_walk.cuh"

namespace gpuopt {

// slots: of shared memory, kGroupedSlotBytes on 16.
template <class Tile>
class GroupedQueue {
 public:
  // One slot for each stage on its way, one that is read, one that is written: no tile has less than a stage.
  static_assert(kGroupedSlots >= Tile::kStages + 2, "slots");
  __device__ __forceinline__ explicit GroupedQueue(char *slots) : slots_(reinterpret_cast<int4 *>(slots)) {}

  // All lanes of the copying warp; copy(tile), by its first, expects and asks for the stages of a tile of kRows by kCols.
  template <int kRows, int kCols, class Copy>
  __device__ __forceinline__ void produce(const GroupedWork &work, WgmmaRing<Tile> &ring, Copy &&copy) {
    const bool first = threadIdx.x % 32 == 0;
    GroupedWalk<kRows, kCols> walk(work);
    GroupedTile at;
    uint32_t number = blockIdx.x;
    while (walk.find(work, number, &at)) {
      uint32_t taken = 0;
      if (first) {
        taken = atomicAdd(work.taken, 1u);
        put(make_int4(at.group, at.row, at.end, at.col));
        copy(at);
      }
      number = gridDim.x + static_cast<uint32_t>(grouped_same(static_cast<int32_t>(taken)));
    }
    const uint32_t tiles = walk.seen();
    if (!first) return;
    // As many numbers are drawn as there are tiles: who drew the last leaves the counter as it was.
    if (number - gridDim.x + 1 == tiles) *work.taken = 0;
    put(make_int4(-1, 0, 0, 0));
    ring.expect(0);
  }
  // All lanes of a multiplying warp: the next tile, when its first stage has come; false: there is none.
  __device__ __forceinline__ bool take(const WgmmaRing<Tile> &ring, GroupedTile *at) {
    ring.wait_full();
    const int4 x = slots_[next_];
    next_ = (next_ + 1) % kGroupedSlots;
    *at = {grouped_same(x.x), grouped_same(x.y), grouped_same(x.z), grouped_same(x.w)};
    return at->group >= 0;
  }

 private:
  __device__ __forceinline__ void put(int4 tile) {
    slots_[next_] = tile;
    next_ = (next_ + 1) % kGroupedSlots;
  }

  int4 *slots_;
  int next_ = 0;
};

}  // namespace gpuopt
