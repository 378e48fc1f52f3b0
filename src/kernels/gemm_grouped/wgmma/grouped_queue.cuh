// Tiles from the warp that finds them and asks for their stages to the warpgroups that multiply them.
//
// Blocks take numbers of tiles as they go, from a counter of the launch, so that one whose tiles are small, or whose memory is
// near, takes more of them. A tile's place goes through a slot in shared memory: it is written before its first stage is asked
// for and read when that has come, so the ring's barriers order both. A number is drawn while the tile before is on its way.
#pragma once

#include "gemm/wgmma/wgmma_ring.cuh"
#include "gemm_grouped/wgmma/grouped_work.h"

namespace gpuopt {

// Place: what a tile is; none() is none, grouped_same() has it of all lanes alike. slots: kGroupedSlots places of shared memory.
template <class Tile, class Place>
class GroupedQueue {
 public:
  // One slot for each stage on its way, one that is read, one that is written: no tile has less than a stage.
  static_assert(kGroupedSlots >= Tile::kStages + 2, "slots");
  __device__ __forceinline__ explicit GroupedQueue(char *slots) : slots_(reinterpret_cast<Vectors *>(slots)) {}

  // All lanes of the copying warp; a Walk finds places by number, copy(place) asks for the tile's stages.
  template <class Walk, class Work, class Copy>
  __device__ __forceinline__ void produce(const Work &work, WgmmaRing<Tile> &ring, Copy &&copy) {
    const bool first = threadIdx.x % 32 == 0;
    Walk walk(work);
    Place at;
    uint32_t number = blockIdx.x;
    while (walk.find(work, number, &at)) {
      uint32_t taken = 0;
      if (first) {
        taken = atomicAdd(work.taken, 1u);
        put(at);
      }
      __syncwarp();
      copy(at);
      number = gridDim.x + static_cast<uint32_t>(grouped_same(static_cast<int32_t>(taken)));
    }
    const uint32_t tiles = walk.seen();
    if (first) {
      // As many numbers are drawn as there are tiles: who drew the last leaves the counter as it was.
      if (number - gridDim.x + 1 == tiles) *work.taken = 0;
      put(Place::none());
    }
    __syncwarp();
    ring.fill(0, [] {});
  }
  // All lanes of a multiplying warp: the next tile, when its first stage has come; false: there is none.
  __device__ __forceinline__ bool take(const WgmmaRing<Tile> &ring, Place *at) {
    ring.wait_full();
    *at = place(next_);
    next_ = (next_ + 1) % kGroupedSlots;
    return at->exists();
  }
  // The tile taken last, where no register keeps it: its slot is written again when kGroupedSlots tiles have followed.
  __device__ __forceinline__ Place taken() const { return place((next_ + kGroupedSlots - 1) % kGroupedSlots); }

 private:
  struct Vectors {
    int4 v[sizeof(Place) / 16];
  };
  __device__ __forceinline__ Place place(int slot) const {
    const Vectors vectors = slots_[slot];
    Place at;
    memcpy(&at, &vectors, sizeof at);
    return grouped_same(at);
  }
  __device__ __forceinline__ void put(const Place &place) {
    Vectors slot;
    memcpy(&slot, &place, sizeof slot);
    slots_[next_] = slot;
    next_ = (next_ + 1) % kGroupedSlots;
  }

  Vectors *slots_;
  int next_ = 0;
};

}  // namespace gpuopt
