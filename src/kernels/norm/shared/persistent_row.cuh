// A row held by a group of blocks, a slice each; groups stay and draw their rows.
//
// Idea and data movement: a block that comes for a piece of a long row and goes reads its weights again, and those of a
// layer norm are twice the bytes of the row. Here a block has the same columns of all its rows, and its weights stay in
// registers for the whole launch. cp.async brings slices into a ring in shared memory, kAheadTurns turns before they
// are needed. In each turn a block makes the statistics of its slice of one row and leaves them in global memory as one
// word of 8 bytes (persistent_words.cuh). kLagTurns turns later it reads that row's words and stores the result.
//
// A word takes 2 us to be read while memory is busy, a turn 3. So one warp of a block does nothing but meet the others
// (persistent_meet.cuh): it reads the words of the row whose result comes next while the other warps make statistics, and
// writes this block's while they store. Groups whose blocks have memory beside them take 2 us for a turn, others more than 3:
// so rows are drawn.
//
// Words are 0 at launch and are left so: a block that has seen all words of a row knows that every block of its group has
// seen those of the row kLagTurns before, and clears its own of that row; the last block of a group clears those of the last
// rows.
//
// Rows without weights may begin anywhere: each is cut at its own first sector of 32 bytes, for cp.async moves a sector twice
// whose halves do not lie in one of shared memory; the last slice has fewer vectors where the row does, and the elements before
// and behind are the first slice's, one a thread.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "norm/shared/persistent_meet.cuh"

namespace gpuopt {

constexpr int kRingSlots = kAheadTurns + 1 + kLagTurns;

// single: an element that this thread has beside them.
template <int kNorm, class T, int V>
__device__ __forceinline__ Moments moments_of_part(const RowPart<T, V> &part, bool has_single, T single) {
  if constexpr (!kIsSoftmax<kNorm>) {
    return part.template moments<kNorm>();
  } else {
    constexpr int K = RowPart<T, V>::K;
    Moments m = no_moments<kNorm>();
    const auto each = [&](auto &&f) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        float h[K];
        widen_bits(part.bits[v], h);
        if (!part.has(v)) continue;
#pragma unroll
        for (int e = 0; e < K; ++e) f(h[e]);
      }
      if (has_single) f(widen<float>(single));
    };
    each([&](float h) { m.first = greater(m.first, h); });
    const float origin = pivot(m.first);
    each([&](float h) { m.second += fast::exp(h - origin); });
    return m;
  }
}

// The ring of slices; a thread reads only what it asked for itself.
using SliceRing = Access<16>[kRingSlots][kSliceVectors][kPersistentThreads];
static_assert(sizeof(SliceRing) == kRingBytes, "as the host asks for it");

// The warps that have a block's slices.
template <class T, int kNorm, bool kAny>
__device__ __forceinline__ void persistent_slices(const PersistentRows<T> &rows, SliceRing &ring) {
  constexpr int K = 16 / sizeof(T), V = kSliceVectors, kLag = kLagTurns;
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM, kWeighs = !kIsSoftmax<kNorm>;
  static_assert(!kAny || (!kWeighs && kAheadTurns == 1), "weights begin where the row does; one single is on its way");
  const RowWork<T> &work = rows.work;
  const RowSlices &cut = rows.cut;
  PersistentMeeting &meeting = rows.meeting;
  const auto rank = static_cast<int32_t>(threadIdx.x);
  const int32_t warp = rank / 32, lane = rank % 32, slice = rows.slice;
  const auto mine =
      static_cast<uint32_t>(cut.first(slice) + rank) * 16;  // this thread's first vector, in bytes behind the row's
  const auto elements = static_cast<float>(cut.count(slice) * K);
  RowPart<T, V> part;
  part.vectors = cut.count(slice);
  part.rank = rank;
  part.size = kPersistentThreads;
  // Elements of the row before its first sector; of this slice the vectors; this thread's element before or behind.
  const auto cut_row = [&](int32_t p, int32_t i, int32_t &single) {
    int32_t head = 0;
    single = work.cols;
    if constexpr (kAny) {
      head = static_cast<int32_t>((0 - reinterpret_cast<uintptr_t>(start_of_row<T>(work.x, p, i))) % 32 / sizeof(T));
      const int32_t vectors = (work.cols - head) / K;
      part.vectors = min(cut.count(slice), vectors - cut.first(slice));
      if (slice == 0) single = min(rank < head ? rank : vectors * K + rank, work.cols);
    }
    return head;
  };
  T coming = T(0.0f), held[kLag] = {};  // the singles of the turn that comes, and of those that wait for their row
  // What the slice does not have is in the ring as it was, and counts for nothing.
  const auto ask = [&](int32_t t) {
    if (rows.has(t)) {
      int32_t i, single;
      const int32_t p = rows.place(t, i), head = cut_row(p, i, single);
      const T *const row = start_of_row<T>(work.x, p, i), *const from = behind(row + head, mine);
      if (kAny && single < work.cols) coming = row[single];
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (part.has(v)) __pipeline_memcpy_async(&ring[t % kRingSlots][v][rank], from + v * kPersistentThreads * K, 16);
      }
    }
    __pipeline_commit();
  };
#pragma unroll 1
  for (int32_t t = 0; t < kAheadTurns; ++t) ask(t);
  const bool has_gamma = kWeighs && work.gamma.dtype != 0, has_beta = kWeighs && work.beta.dtype != 0;
  RowPart<T, V> gamma = part, beta = part;
  if (has_gamma) gamma.load(start_of_weights<T>(work.gamma, 0) + cut.first(slice) * K);
  if (has_beta) beta.load(start_of_weights<T>(work.beta, 0) + cut.first(slice) * K);

#pragma unroll 1
  for (int32_t t = 0;; ++t) {
    const int32_t j = t - kLag;
    if (j >= 0 && !rows.has(j)) return;
    const T one = coming, of_result = held[kLag - 1];
    ask(t + kAheadTurns);
    if (rows.has(t)) {
      __pipeline_wait_prior(kAheadTurns);
      int32_t i, single;
      const int32_t p = rows.place(t, i);
      cut_row(p, i, single);
#pragma unroll
      for (int v = 0; v < V; ++v) part.bits[v] = bits_as<Bits<T, K>>(ring[t % kRingSlots][v][rank]);
      const Moments own = moments_of_part<kNorm>(part, kAny && single < work.cols, one);
      const Moments of = join_lanes<kNorm, 32>(own, kLayer ? count_of_warp(own.count) : elements);
      if (lane == 0) meeting.sums[t % 2][warp] = of;
    }
    turn_arrive(kSumsBarrier, t);
#pragma unroll
    for (int l = kLag - 1; l > 0; --l) held[l] = held[l - 1];
    held[0] = one;
    turn_sync(kFactorsBarrier, t);
    if (j < 0) continue;
    stay_packed(gamma.bits);
    stay_packed(beta.bits);
    const RowFactors row = meeting.factors[t % 2];
    int32_t i, single;
    const int32_t p = rows.place(j, i), head = cut_row(p, i, single);
    T *const result = start_of_result<T>(work.out, p, i), *const out = behind(result + head, mine);
    if (kAny && single < work.cols) result[single] = narrow<T>(normalised<kNorm>(row, widen<float>(of_result)));
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (!part.has(v)) continue;
      float h[K];
      widen_bits(bits_as<Bits<T, K>>(ring[j % kRingSlots][v][rank]), h);
      normalise<kNorm>(row, h);
      if (kWeighs && has_gamma) multiply(h, gamma.bits[v]);
      if (kWeighs && has_beta) add(h, beta.bits[v]);
      store_bits(out + v * kPersistentThreads * K, narrow_bits<T>(h));
    }
  }
}

template <class T, int kNorm, bool kAny>
__global__ void __launch_bounds__(kPersistentBlockThreads, blocks_at_once<kPersistentBlockThreads>(kPersistentBlocks))
    norm_persistent_row_kernel(const __grid_constant__ RowWork<T> work, const PersistentWork shared) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ PersistentMeeting meeting;
  const PersistentRows<T> rows(work, shared, meeting);
  if (threadIdx.x < kPersistentThreads)
    persistent_slices<T, kNorm, kAny>(rows, *reinterpret_cast<SliceRing *>(memory));
  else
    persistent_meet<T, kNorm>(rows);
#endif
}

}  // namespace gpuopt
