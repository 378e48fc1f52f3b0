// The warps that have a row together, and what part of it each has.
#pragma once

#include <cuda/ptx>

#include "norm/common/meet_blocks.cuh"
#include "norm/registers/staying_rows.h"

namespace gpuopt {

// A row of n elements: `head` of them, whole vectors, and a tail. Warps have neighbouring vectors, each as many as the next
// or a unit more; so all of a thread's vectors but the last are there, and 32 apart. Where rows begin anywhere, units are
// sectors of x, which no two of a warp's accesses share. Head and tail are the first warp's, an element a lane.
struct StayingCut {
  int32_t of_warp, of_block;  // elements
  int32_t first, single;      // elements before this lane's first vector, and before its element of head or tail
  bool has_last, has_single;

  // By warp number warp of `warps` of block number block of `blocks`.
  template <int K, int V>
  __device__ __forceinline__ static StayingCut of(const StayingRows &rows, int32_t head, int32_t n, int32_t block,
                                                  int32_t blocks, int32_t warp, int32_t warps, int32_t lane) {
    StayingCut cut;
    const int32_t of_unit = rows.unit * K, units = (n - head) / of_unit;
    int32_t low = rows.low, extra = rows.extra;
    if (units < n / of_unit) {  // one less than rows that begin whole
      low -= extra == 0 ? 1 : 0;
      extra = (extra == 0 ? blocks * warps : extra) - 1;
    }
    const auto before = [&](int32_t number) { return number * low + min(number, extra); };
    const int32_t number = block * warps + warp, count = (before(number + 1) - before(number)) * rows.unit;
    cut.first = head + before(number) * of_unit + lane * K;
    int32_t has_last = lane < count - (V - 1) * 32;
    asm volatile("" : "+r"(has_last));  // kept: it would be found anew for each row
    cut.has_last = has_last != 0;
    cut.single = lane < head ? lane : units * of_unit + lane;
    cut.has_single = number == 0 && cut.single < n;
    const int32_t singles = n - units * of_unit;
    cut.of_warp = count * K + (number == 0 ? singles : 0);
    cut.of_block = (before((block + 1) * warps) - before(block * warps)) * of_unit + (block == 0 ? singles : 0);
    return cut;
  }
};

// The numbers of a group's rows. Of many rows a group takes some in turn, then draws each from a counter, for multiprocessors
// do not have like shares of memory's rate: its first thread a whole row before it leaves it in shared memory, as an answer of
// busy memory takes half a row's time. Each is known when the row before, or before that, is asked for. A counter goes back to
// 0 with the last number that is drawn of it, since each group draws `ahead` + 2 beyond its last row. A cluster's first block
// draws for all, which get the number where they meet for the row before.
struct alignas(16) StayingCounter {
  uint32_t *next;
  uint32_t last;  // with which it goes back to 0
  int32_t first;  // row of number 0
};
struct StayingNumbers {
  static constexpr int kSlots = 4;
  int32_t *slots;           // of the group
  StayingCounter *counter;  // of the block: in shared memory, for registers are short
  int32_t ahead;            // rows that are on their way at once

  // Rows of class k are k, k + classes, ...; a cluster has those of one class. Neighbouring clusters are of neighbouring
  // classes, turned by two from each `classes` of them to the next: two neighbouring blocks are of one part of the chip, some
  // parts are half as fast again as others, and so a class has multiprocessors of all.
  __device__ __forceinline__ static int32_t first_of(const StayingRows &rows, int32_t cluster) {
    const auto over = [&](uint32_t number) { return static_cast<int32_t>(number * rows.per_class >> 20); };
    const int32_t before = over(cluster), turned = cluster + 2 * before;
    return before * rows.classes + turned - over(turned) * rows.classes;
  }
  __device__ __forceinline__ int32_t number_of(int32_t round) const { return slots[round % kSlots]; }
  __device__ __forceinline__ void leave(int32_t round, int32_t number) const {
    if (threadIdx.x == 0) slots[round % kSlots] = number;
  }
  // The block's counter, whose first row is `first` of `all`.
  __device__ __forceinline__ void prepare(const StayingRows &rows, int32_t all, int32_t first) const {
    if (threadIdx.x + threadIdx.y != 0 || rows.counters == nullptr) return;
    const int32_t of_class = first % rows.classes, alike = (all - of_class - 1) / rows.classes + 1;
    *counter = {rows.counters + of_class * kCounterStep, static_cast<uint32_t>(alike + rows.beyond - 1),
                rows.in_turn * rows.step + of_class};
  }
  // Whether this thread draws, for all of the group.
  __device__ __forceinline__ static bool draws() { return threadIdx.x == 0 && rank_in_cluster() == 0; }
  // What is asked for here, the number of a row, is not waited for before it is left.
  __device__ __forceinline__ uint32_t draw(const StayingRows &rows, int32_t round) const {
    return draws() && round >= rows.in_turn ? atomicInc(counter->next, counter->last) : 0;
  }
};

__device__ __forceinline__ float sum_of_lanes(float x) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(~0u, x, offset);
  return x;
}

// Joins the warps of a group, and the blocks of a cluster that have the same row. Joins take turns in two pieces of shared
// memory, so one barrier is enough for each: who leaves something for the next but one has seen that all have left the
// next one's.
struct StayingGroup {
  Moments *slots;  // of the group's warps in this block
  StayingMeeting *meeting;
  int32_t warps, warp, lane, blocks, block, round;
  float *of_block;  // elements that this block has of a row

  // Where there are several blocks, before the first join, by all threads of all of them.
  __device__ __forceinline__ void prepare(int32_t elements) const {
    namespace ptx = cuda::ptx;
    if (threadIdx.x == 0) {
      if (threadIdx.y == 0) *of_block = static_cast<float>(elements);
      for (auto &arrived : meeting->arrived) ptx::mbarrier_init(reinterpret_cast<uint64_t *>(&arrived), 1);
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
  }
  __device__ __forceinline__ Moments exchange(const Moments &of_warp, const Moments &none, bool has_count) {
    const int32_t at = round % 2 * kMostStayingWarps;
    if (lane == 0) {
      Moments &slot = slots[at + warp];
      if (has_count) slot.count = of_warp.count;
      slot.mean = of_warp.mean;
      slot.first = of_warp.first;
      slot.second = of_warp.second;
    }
    asm volatile("bar.sync %0, %1;" ::"r"(threadIdx.y), "r"(warps * 32) : "memory");
    return lane < warps ? slots[at + lane] : none;
  }
  // The number of the row after those that are on their way. Other blocks have it when they have met for this row.
  __device__ __forceinline__ void leave_drawn(const StayingRows &rows, const StayingNumbers &numbers,
                                              uint32_t drawn) const {
    if (!StayingNumbers::draws()) return;
    const int32_t next = round + numbers.ahead + 1;
    int32_t *const left = numbers.slots + next % StayingNumbers::kSlots;
    *left = next < rows.in_turn ? numbers.number_of(next - 1) + rows.step
                                : numbers.counter->first + static_cast<int32_t>(drawn) * rows.classes;
#pragma unroll 1
    for (int32_t other = 1; other < blocks; ++other)
      asm volatile(
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(address_in(other, left)),
          "r"(*left), "r"(address_in(other, &meeting->arrived[round % 2]))
          : "memory");
  }
  // What a block has of the row goes to all blocks of the cluster.
  template <int kNorm>
  __device__ __forceinline__ Moments join_blocks(const Moments &m, float n) {
    const int32_t at = round % 2;
    auto *const arrived = reinterpret_cast<uint64_t *>(&meeting->arrived[at]);
    if (warp == 0 && lane == 0) expect_blocks(arrived, blocks, rank_in_cluster() == 0 ? 0 : sizeof(int32_t));
    return meet_blocks<kNorm, kMostStayingBlocks>(m, n, arrived, reinterpret_cast<Moments *>(meeting->of_block[at]),
                                                  round / 2 % 2, warp == 0);
  }
  template <int kNorm>
  __device__ __forceinline__ Moments join(Moments m, float n) {
    if (warps > 1) {
      const float of_these = kNorm == GPUOPT_NORM_LAYERNORM && blocks > 1 ? *of_block : n;
      m = join_lanes<kNorm, 32>(exchange(m, no_moments<kNorm>(), true), of_these);
    }
    if (blocks > 1) m = join_blocks<kNorm>(m, n);
    ++round;
    return m;
  }
  // The same of a layer norm's distances from an origin of each warp, of which there are as many for every row.
  __device__ __forceinline__ void hold_count(float of_warp) const {
    if (lane == 0) slots[warp].count = slots[kMostStayingWarps + warp].count = of_warp;
  }
  __device__ __forceinline__ Moments join_distances(float origin, float sum, float squares, float n,
                                                    float per_element) {
    float of_first = 0;
    if (warps > 1) {
      const Moments mine = exchange({0.0f, origin, sum, squares}, {0.0f, 0.0f, 0.0f, 0.0f}, false);
      origin = __shfl_sync(~0u, mine.mean, 0);
      const float mean = lane < warps ? mine.first * fast::reciprocal_of_normal(mine.count) : 0.0f;
      // From the first warp's mean: an origin that is an outlier would be far from all other warps.
      const float of_lane = (mine.mean - origin) + mean;
      of_first = __shfl_sync(~0u, of_lane, 0);
      const float distance = of_lane - of_first, of_count = mine.count * distance;
      sum = sum_of_lanes(of_count);
      squares = sum_of_lanes((mine.second - mine.first * mean) + of_count * distance);
    }
    float count = n, per_count = per_element;
    if (blocks > 1) {
      count = *of_block;
      per_count = fast::reciprocal_of_normal(count);
    }
    const float mean = sum * per_count;
    const SplitMean<float> split = split_mean(origin, of_first + mean);
    Moments m = {count, split.high, split.low, squares - sum * mean};
    if (blocks > 1) m = join_blocks<GPUOPT_NORM_LAYERNORM>(m, n);
    ++round;
    return m;
  }
};

}  // namespace gpuopt
