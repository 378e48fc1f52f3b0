// Which tiles of which groups are whose, found on the device: how many rows a group has is known there alone.
//
// Tiles are numbered group after group. A warp looks at 32 groups at a time, a lane each: what tiles they have is summed over
// the lanes, and a number's group is the first whose sum exceeds it. Numbers only grow, so that a warp goes through the
// offsets once, however many tiles it has.
#pragma once

#include "gemm_grouped/wgmma/grouped_work.h"

namespace gpuopt {

struct alignas(16) GroupedTile {
  int32_t group, row, end, col;  // end: the group's last row and one

  __device__ __forceinline__ bool exists() const { return group >= 0; }
  static __device__ __forceinline__ GroupedTile none() { return {-1, 0, 0, 0}; }
};
__device__ __forceinline__ GroupedTile grouped_same(const GroupedTile &x) {
  return {grouped_same(x.group), grouped_same(x.row), grouped_same(x.end), grouped_same(x.col)};
}

// The tiles of kRows that a group has rows for.
template <int kRows>
__device__ __forceinline__ uint32_t grouped_row_tiles(int32_t row, int32_t end) {
  return end > row ? static_cast<uint32_t>((end - row + kRows - 1) / kRows) : 0;
}

// Tiles of kRows by kCols. All lanes of a warp walk together.
template <int kRows, int kCols>
class GroupedWalk {
 public:
  __device__ __forceinline__ explicit GroupedWalk(const GroupedWork &work)
      : tiles_n_(static_cast<uint32_t>((work.n + kCols - 1) / kCols)) {
    look(work);
  }
  // False: there is no tile of that number, and none of a greater one.
  __device__ __forceinline__ bool find(const GroupedWork &work, uint32_t number, GroupedTile *tile) {
    while (number >= __shfl_sync(kAll, sum_, 31)) {
      first_ += 32;
      if (first_ >= work.groups) return false;
      before_ = __shfl_sync(kAll, sum_, 31);
      look(work);
    }
    const int lane = __ffs(static_cast<int>(__ballot_sync(kAll, number < sum_))) - 1;
    const uint32_t behind = lane == 0 ? before_ : __shfl_sync(kAll, sum_, (lane + 31) % 32);
    const int32_t row = __shfl_sync(kAll, row_, lane), end = __shfl_sync(kAll, end_, lane);
    const uint32_t in_group = number - behind, rows = grouped_row_tiles<kRows>(row, end);
    // Down stripes of rows, so that blocks running together share rows and columns in L2.
    constexpr uint32_t kStripe = 8;
    const uint32_t stripe = in_group / (kStripe * tiles_n_), in_stripe = in_group - stripe * (kStripe * tiles_n_);
    const uint32_t high = min(rows - stripe * kStripe, kStripe), j = in_stripe / high;
    tile->group = grouped_same(first_ + lane);
    tile->row = grouped_same(row + static_cast<int32_t>((stripe * kStripe + in_stripe - j * high) * kRows));
    tile->end = grouped_same(end);
    tile->col = grouped_same(static_cast<int32_t>(j * kCols));
    return true;
  }
  // Tiles of the groups looked at: of all, where there was no tile of a number.
  __device__ __forceinline__ uint32_t seen() const { return __shfl_sync(kAll, sum_, 31); }

 private:
  static constexpr uint32_t kAll = 0xffffffffu;
  __device__ __forceinline__ void look(const GroupedWork &work) {
    const int lane = static_cast<int>(threadIdx.x % 32), group = first_ + lane;
    row_ = end_ = 0;
    if (group < work.groups) {
      row_ = static_cast<int32_t>(work.offsets.at(group));
      end_ = static_cast<int32_t>(work.offsets.at(group + 1));
    }
    sum_ = grouped_row_tiles<kRows>(row_, end_) * tiles_n_;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const uint32_t other = __shfl_up_sync(kAll, sum_, step);
      if (lane >= step) sum_ += other;
    }
    sum_ += before_;
  }

  uint32_t tiles_n_, before_ = 0, sum_ = 0;  // sum_: of tiles, up to and with this lane's group
  int32_t first_ = 0, row_ = 0, end_ = 0;    // the first lane's group; rows of this lane's
};

}  // namespace gpuopt
