// The warp of a block that meets other blocks, and what it tells the warps that have the slices: the idea stands in
// persistent_row.cuh.
#pragma once

#include "common/last_to_come.cuh"
#include "norm/shared/persistent_words.cuh"

namespace gpuopt {

constexpr int kPersistentWarps = kPersistentThreads / 32;

// Named barriers of turns, two of each kind in turn: when the statistics of a block's warps are there, when its row's factors are.
// Warps with slices arrive at the one and wait for the other, the warp that meets waits for the one and arrives at the other.
enum : int { kSumsBarrier = 1, kFactorsBarrier = 3 };
__device__ __forceinline__ void turn_arrive(int kind, int32_t t) {
  asm volatile("bar.arrive %0, %1;" ::"r"(kind + t % 2), "n"(kPersistentBlockThreads) : "memory");
}
__device__ __forceinline__ void turn_sync(int kind, int32_t t) {
  asm volatile("bar.sync %0, %1;" ::"r"(kind + t % 2), "n"(kPersistentBlockThreads) : "memory");
}

// What the warps of a block tell each other, of two turns, and by turn the rows of its turns: row y of matrix x,
// which is -1 where there is none.
struct PersistentMeeting {
  Moments sums[2][kPersistentWarps];
  RowFactors factors[2];
  int2 rows[kKeptTurns];
};

// A block's rows. A group's first kDrawnTurns are as far apart as there are groups; all others are drawn, for groups whose blocks
// have memory beside them take a third less time for a turn than others.
template <class T>
struct PersistentRows {
  const RowWork<T> &work;
  const PersistentWork &shared;
  PersistentMeeting &meeting;
  RowSlices cut;
  int32_t group, slice;

  __device__ __forceinline__ PersistentRows(const RowWork<T> &w, const PersistentWork &s, PersistentMeeting &m)
      : work(w), shared(s), meeting(m), cut(w.cols / (16 / static_cast<int32_t>(sizeof(T))), s.slices) {
    const auto block = static_cast<int32_t>(blockIdx.x), t = static_cast<int32_t>(threadIdx.x);
    group = block / s.slices;
    slice = block - group * s.slices;
    if (t < kKeptTurns) m.rows[t] = place_of(t < kDrawnTurns ? existing(group + t * s.groups) : -1);
    __syncthreads();
  }
  __device__ __forceinline__ int32_t existing(int64_t row) const {
    return row < work.rows * work.batch ? static_cast<int32_t>(row) : -1;
  }
  __device__ __forceinline__ int2 place_of(int32_t row) const {
    int2 at = {-1, 0};
    if (row >= 0) at.x = work.place(row, at.y);
    return at;
  }
  __device__ __forceinline__ bool has(int32_t t) const { return meeting.rows[t % kKeptTurns].x >= 0; }
  __device__ __forceinline__ int32_t place(int32_t t, int32_t &i) const {
    const int2 at = meeting.rows[t % kKeptTurns];
    i = at.y;
    return at.x;
  }
  // Rows times slices have 31 bits.
  __device__ __forceinline__ uint64_t *words(int32_t t) const {
    int32_t i;
    const int32_t p = place(t, i);
    return shared.words + static_cast<uint32_t>((p * work.rows + i) * shared.slices);
  }
  __device__ __forceinline__ uint64_t *drawn(int32_t t) const { return shared.groups_of[group].drawn + t % kKeptTurns; }
  // One thread of a group's first block draws a row in each turn, and tells the others later in it: as often as there are rows, after
  // which the count is 0 again.
  __device__ __forceinline__ uint32_t draw() const {
    return atomicInc(shared.drawn, static_cast<uint32_t>(work.rows * work.batch) - 1);
  }
  __device__ __forceinline__ void tell(int32_t t, uint32_t taken) const {
    const int32_t row = existing(static_cast<int64_t>(taken) + kDrawnTurns * shared.groups);
    publish(drawn(t), static_cast<uint64_t>(t + 1) << 32 | static_cast<uint32_t>(row + 1));
  }
  // By a warp, of a turn behind the first ones.
  __device__ __forceinline__ int32_t told(int32_t t) const {
    uint64_t word = look(drawn(t));
    while (word >> 32 != static_cast<uint64_t>(t + 1)) word = look(drawn(t));
    return static_cast<int32_t>(static_cast<uint32_t>(word)) - 1;
  }
};

// What is not as it was at launch when a group's last block has seen its last words: those of its last rows, and what it drew.
template <class T>
__device__ __forceinline__ void persistent_leave(const PersistentRows<T> &rows) {
  const PersistentWork &shared = rows.shared;
  const auto lane = static_cast<int32_t>(threadIdx.x % 32);
  const int32_t slices = shared.slices;
  unsigned before = 0;
  if (lane == 0) {
    hand_over();
    before = atomicInc(&shared.groups_of[rows.group].left, static_cast<unsigned>(slices) - 1);
  }
  if (__shfl_sync(~0u, before, 0) != static_cast<unsigned>(slices) - 1) return;
  hand_over();
#pragma unroll 1
  for (int32_t t = 0; t < kKeptTurns; ++t) {
    if (!rows.has(t)) continue;
    for (int32_t s = lane; s < slices; s += 32) publish(rows.words(t) + s, 0);
  }
  if (lane < kKeptTurns) publish(rows.drawn(lane), 0);
}

// The warp that meets other blocks: of each turn the words of the row that waits for its result, the row after next, then this
// block's own word. No other block is further than kLagTurns behind, so neither words nor drawn rows are written over unread.
template <class T, int kNorm>
__device__ __forceinline__ void persistent_meet(const PersistentRows<T> &rows) {
  constexpr int K = 16 / sizeof(T), kLag = kLagTurns;
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM;
  const RowWork<T> &work = rows.work;
  PersistentMeeting &meeting = rows.meeting;
  const auto lane = static_cast<int32_t>(threadIdx.x % 32);
  const auto n = static_cast<float>(work.cols), elements = static_cast<float>(rows.cut.count(rows.slice) * K);
  // A layer norm's rows begin so: all blocks take the distances of their means from one origin.
  T start[3] = {};
  float origins[kLag + 1] = {};
  const auto ask_start = [&](int32_t t) {
    if (!kLayer || !rows.has(t)) return;
    int32_t i;
    const int32_t p = rows.place(t, i);
    const T *const row = start_of_row<T>(work.x, p, i);
#pragma unroll
    for (int e = 0; e < 3; ++e) start[e] = row[e];
  };
  ask_start(0);
#pragma unroll 1
  for (int32_t t = 0;; ++t) {
    const int32_t j = t - kLag;
    if (j >= 0 && !rows.has(j)) break;
    const bool has = rows.has(t), draws = has && rows.slice == 0 && lane == 0;
    const uint32_t taken = draws ? rows.draw() : 0;
    if constexpr (kLayer) {
#pragma unroll
      for (int l = kLag; l > 0; --l) origins[l] = origins[l - 1];
      origins[0] = middle_of(widen<float>(start[0]), widen<float>(start[1]), widen<float>(start[2]));
      ask_start(t + 1);
    }
    if (j >= 0) {
      RowWords<kNorm, K> words;
      words.ask(rows.words(j), rows.shared.slices);
      const Moments of = words.join(rows.words(j), rows.cut, rows.shared.slices, n, origins[kLag]);
      const RowFactors row = factors_of<kNorm>(work, of, n);
      if (lane == 0) {
        meeting.factors[t % 2] = row;
        if (j >= kLag) publish(rows.words(j - kLag) + rows.slice, 0);
        int32_t i;
        const int32_t p = rows.place(j, i);
        if (work.statistics.dtype != 0 && rows.slice == 0) store_statistics(work, p, i, row);
      }
    }
    constexpr int kNext = kAheadTurns + 1;
    static_assert(kNext < kDrawnTurns, "drawn when they are wanted");
    if (t + kNext >= kDrawnTurns) {
      const int32_t next = rows.has(t + kNext - 1) ? rows.told(t + kNext) : -1;
      if (lane == 0) meeting.rows[(t + kNext) % kKeptTurns] = rows.place_of(next);
      __syncwarp();
    }
    turn_arrive(kFactorsBarrier, t);
    turn_sync(kSumsBarrier, t);  // behind the last row, too: who arrives has read the factors of the turn before
    if (!has) continue;
    const Moments all = join_lanes<kNorm, kPersistentWarps>(meeting.sums[t % 2][lane % kPersistentWarps], elements);
    if (draws) rows.tell(t + kDrawnTurns, taken);
    if (lane == 0) publish(rows.words(t) + rows.slice, word_of<kNorm>(all, origins[0]));
  }
  persistent_leave(rows);
}

}  // namespace gpuopt
