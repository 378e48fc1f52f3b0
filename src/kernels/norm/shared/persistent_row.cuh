// A row held by a group of blocks, a slice each; groups stay and take rows in turn.
//
// Idea and data movement: a block that comes for a piece of a long row and goes reads its weights again, and those of a
// layer norm are twice the bytes of the row. Here a block has the same columns of all its rows, and its weights stay in
// registers for the whole launch. cp.async brings slices into a ring in shared memory, kAheadTurns turns before they
// are needed. In each turn a block makes the statistics of its slice of one row and leaves them in global memory as one
// word of 8 bytes that says by its sign bit that it is there, so no order between accesses is needed. kLagTurns turns later
// it reads that row's words and stores the result: what a block waits for has been there for most of kLag turns, and a
// turn has one barrier. Words are 0 at launch and are left so: a block that has seen all words of a row knows that
// every block of its group has seen those of the row kLag turns before, and clears its own of that row; the last block
// to leave clears those of the last rows.
//
// Rows without weights may begin anywhere: each is cut at its own first sector of 32 bytes, for cp.async moves a sector twice
// whose halves do not lie in one of shared memory; the last slice has fewer vectors where the row does, and the elements before
// and behind are the first slice's, one a thread.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cuda/atomic>

#include "norm/common/row_part.cuh"
#include "norm/shared/persistent_row.h"

namespace gpuopt {

constexpr int kPersistentWarps = kPersistentThreads / 32, kRingSlots = kAheadTurns + 1 + kLagTurns;
constexpr int kWordsOfLane = kMostSlices / 32;  // a warp reads the words of a row

// The row's vectors in as many slices as a group has blocks, in whole lines of memory, the first ones a line longer where they
// do not come out even; what is less than a line is the last one's.
struct RowSlices {
  static constexpr int32_t kLine = 128 / 16;
  int32_t each, more, slices, rest;
  __device__ __forceinline__ RowSlices(int32_t vectors, int32_t all)
      : each(vectors / kLine / all), more(vectors / kLine % all), slices(all), rest(vectors % kLine) {}
  __device__ __forceinline__ int32_t first(int32_t slice) const { return (slice * each + min(slice, more)) * kLine; }
  __device__ __forceinline__ int32_t count(int32_t slice) const {
    return (each + (slice < more ? 1 : 0)) * kLine + (slice == slices - 1 ? rest : 0);
  }
};

__device__ __forceinline__ void publish(uint64_t *word, uint64_t value) {
  cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*word).store(value, cuda::memory_order_relaxed);
}
__device__ __forceinline__ uint64_t look(uint64_t *word) {
  return cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*word).load(cuda::memory_order_relaxed);
}

// The mean's distance from the row's origin and squares, or greatest element and sum of exponentials. The second
// is no negative number.
template <int kNorm>
__device__ __forceinline__ uint64_t word_of(const Moments &m, float origin) {
  const float first = kNorm == GPUOPT_NORM_LAYERNORM ? (m.mean - origin) + m.first : m.first;
  const uint32_t second = bits_as<uint32_t>(m.second) | 0x80000000u;
  return static_cast<uint64_t>(second) << 32 | bits_as<uint32_t>(first);
}

// The words of a row, by one warp.
template <int kNorm, int K>
struct RowWords {
  uint64_t seen[kWordsOfLane];

  __device__ __forceinline__ void ask(uint64_t *words, int32_t slices) {
    const auto lane = static_cast<int32_t>(threadIdx.x % 32);
#pragma unroll
    for (int w = 0; w < kWordsOfLane; ++w)
      seen[w] = w * 32 + lane < slices ? look(words + w * 32 + lane) : ~uint64_t{0};
  }
  __device__ __forceinline__ bool complete() const {
    bool all = true;
#pragma unroll
    for (int w = 0; w < kWordsOfLane; ++w) all = all && seen[w] >> 63 != 0;
    return __all_sync(~0u, all);
  }
  // f(first, second, elements) for the slices of this lane.
  template <class F>
  __device__ __forceinline__ void each(const RowSlices &cut, int32_t slices, F &&f) const {
    const auto lane = static_cast<int32_t>(threadIdx.x % 32);
#pragma unroll
    for (int w = 0; w < kWordsOfLane; ++w) {
      const int32_t slice = w * 32 + lane;
      if (slice < slices)
        f(bits_as<float>(static_cast<uint32_t>(seen[w])),
          bits_as<float>(static_cast<uint32_t>(seen[w] >> 32) & 0x7fffffffu), static_cast<float>(cut.count(slice) * K));
    }
  }
  // origin: the row's.
  __device__ __forceinline__ Moments join(uint64_t *words, const RowSlices &cut, int32_t slices, float n,
                                          float origin) {
    while (!complete()) ask(words, slices);
    Moments m = no_moments<kNorm>();
    if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
      each(cut, slices, [&](float mean, float, float count) {
        m.count += count;
        m.first += mean * count;
      });
      m.first = m.count > 0 ? __fdividef(m.first, m.count) : 0.0f;
      each(cut, slices, [&](float mean, float squares, float count) {
        m.second += squares + count * (mean - m.first) * (mean - m.first);
      });
    } else if constexpr (kNorm == GPUOPT_NORM_RMSNORM) {
      each(cut, slices, [&](float, float squares, float) { m.second += squares; });
    } else {
      each(cut, slices, [&](float greatest, float, float) { m.first = greater(m.first, greatest); });
      const float origin = pivot(m.first);
      each(cut, slices, [&](float greatest, float sum, float) { m.second += sum * fast::exp(greatest - origin); });
    }
    m = join_lanes<kNorm, 32>(m, n);
    if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
      const SplitMean<float> mean = split_mean(origin, m.mean + m.first);
      m = {n, mean.high, mean.low, m.second};
    }
    return m;
  }
};

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

// The whole of a block's work.
template <class T, int kNorm, bool kAny>
__device__ __forceinline__ void persistent_rows(const RowWork<T> &work, const PersistentWork &shared, SliceRing &ring) {
  constexpr int K = 16 / sizeof(T), V = kSliceVectors, kLag = kLagTurns;
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM, kWeighs = !kIsSoftmax<kNorm>;
  static_assert(!kAny || (!kWeighs && kAheadTurns == 1), "weights begin where the row does; one single is on its way");
  __shared__ Moments partials[2][kPersistentWarps];
  __shared__ RowFactors factors[2];
  // A layer norm's rows begin so: all blocks take the distances of their means from one origin.
  __shared__ Access<16> starts[kRingSlots];
  __shared__ bool last;
  const auto block = static_cast<int32_t>(blockIdx.x), rank = static_cast<int32_t>(threadIdx.x);
  const int32_t warp = rank / 32, lane = rank % 32, slices = shared.slices, groups = shared.groups;
  const int32_t group = block / slices, slice = block - group * slices, rows = work.rows * work.batch;
  const RowSlices cut(work.cols / K, slices);
  const int32_t first = cut.first(slice) * K;
  const auto n = static_cast<float>(work.cols), elements = static_cast<float>(cut.count(slice) * K);
  const int32_t turns = (rows - group + groups - 1) / groups;  // there are no more groups than rows
  // Rows times slices have 31 bits.
  const auto words_of = [&](int32_t t) { return shared.words + static_cast<uint32_t>((group + t * groups) * slices); };
  const auto place = [&](int32_t t, int32_t &i) { return work.place(group + t * groups, i); };
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
  // A vector that the slice does not have is its last one.
  const auto ask = [&](int32_t t) {
    if (t < turns) {
      int32_t i, single;
      const int32_t p = place(t, i), head = cut_row(p, i, single);
      const T *const row = start_of_row<T>(work.x, p, i), *const from = row + head + first;
      if (kAny && single < work.cols) coming = row[single];
#pragma unroll
      for (int v = 0; v < V; ++v) {
        const int32_t at = v * kPersistentThreads + rank;
        __pipeline_memcpy_async(&ring[t % kRingSlots][v][rank], from + (at < part.vectors ? at : part.vectors - 1) * K,
                                16);
      }
    }
    __pipeline_commit();
  };
  // The first thread's, a turn before the row's slices are asked for, so that registers are free; it has what it asked for
  // when it has its slice, and all have it after the barrier.
  const auto ask_start = [&](int32_t t) {
    if (!kLayer || t >= turns) return;
    int32_t i;
    const int32_t p = place(t, i);
    __pipeline_memcpy_async(&starts[t % kRingSlots], start_of_row<T>(work.x, p, i), 16);
  };
  const auto origin_of = [&](int32_t t) {
    if constexpr (kLayer) {
      const T *const row = reinterpret_cast<const T *>(&starts[t % kRingSlots]);
      return middle_of(widen<float>(row[0]), widen<float>(row[1]), widen<float>(row[2]));
    } else {
      return 0.0f;
    }
  };
  if (rank == 0) {
    for (int32_t t = 0; t <= kAheadTurns; ++t) ask_start(t);
  }
#pragma unroll 1
  for (int32_t t = 0; t < kAheadTurns; ++t) ask(t);
  const bool has_gamma = kWeighs && work.gamma.dtype != 0, has_beta = kWeighs && work.beta.dtype != 0;
  RowPart<T, V> gamma = part, beta = part;
  if (has_gamma) gamma.load(start_of_weights<T>(work.gamma, 0) + first);
  if (has_beta) beta.load(start_of_weights<T>(work.beta, 0) + first);

#pragma unroll 1
  for (int32_t t = 0; t < turns + kLag; ++t) {
    const int32_t j = t - kLag;
    const T one = coming, of_result = held[kLag - 1];
    ask(t + kAheadTurns);
    if (t < turns) {
      __pipeline_wait_prior(kAheadTurns);
      int32_t i, single;
      const int32_t p = place(t, i);
      cut_row(p, i, single);
#pragma unroll
      for (int v = 0; v < V; ++v) part.bits[v] = bits_as<Bits<T, K>>(ring[t % kRingSlots][v][rank]);
      const Moments mine = moments_of_part<kNorm>(part, kAny && single < work.cols, one);
      const Moments of = join_lanes<kNorm, 32>(mine, kLayer ? count_of_warp(mine.count) : elements);
      if (lane == 0) partials[t % 2][warp] = of;
    }
    if (j >= 0 && warp == kPersistentWarps - 1) {
      RowWords<kNorm, K> words;
      words.ask(words_of(j), slices);
      const RowFactors row = factors_of<kNorm>(work, words.join(words_of(j), cut, slices, n, origin_of(j)), n);
      if (lane == 0) {
        factors[t % 2] = row;
        if (j >= kLag) publish(words_of(j - kLag) + slice, 0);
        int32_t i;
        const int32_t p = place(j, i);
        if (work.statistics.dtype != 0 && slice == 0) store_statistics(work, p, i, row);
      }
    }
#pragma unroll
    for (int l = kLag - 1; l > 0; --l) held[l] = held[l - 1];
    held[0] = one;
    __syncthreads();  // what the next turn but one writes over has been read before the next turn's
    if (t < turns && warp == 0) {
      const Moments of = lane < kPersistentWarps ? partials[t % 2][lane] : no_moments<kNorm>();
      const Moments all = join_lanes<kNorm, 32>(of, elements);
      if (lane == 0) {
        publish(words_of(t) + slice, word_of<kNorm>(all, origin_of(t)));
        ask_start(t + kAheadTurns + 1);  // where that of t - kLag was
      }
    }
    if (j < 0) continue;
    stay_packed(gamma.bits);
    stay_packed(beta.bits);
    const RowFactors row = factors[t % 2];
    int32_t i, single;
    const int32_t p = place(j, i), head = cut_row(p, i, single);
    T *const result = start_of_result<T>(work.out, p, i), *const out = result + head + first;
    if (kAny && single < work.cols) result[single] = narrow<T>(normalised<kNorm>(row, widen<float>(of_result)));
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (!part.has(v)) continue;
      float h[K];
      widen_bits(bits_as<Bits<T, K>>(ring[j % kRingSlots][v][rank]), h);
      normalise<kNorm>(row, h);
      if (kWeighs && has_gamma) multiply(h, gamma.bits[v]);
      if (kWeighs && has_beta) add(h, beta.bits[v]);
      store_bits(out + (v * kPersistentThreads + rank) * K, narrow_bits<T>(h));
    }
  }

  // The words of the groups' last rows may be read by others until these have left.
  __syncthreads();
  if (rank == 0) {
    __threadfence();
    last = atomicInc(shared.ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  const int32_t from = rows - groups * (kLag + 1);
  for (int64_t w = static_cast<int64_t>(from < 0 ? 0 : from) * slices + rank; w < static_cast<int64_t>(rows) * slices;
       w += kPersistentThreads)
    publish(shared.words + w, 0);
}

template <class T, int kNorm, bool kAny>
__global__ void __launch_bounds__(kPersistentThreads, blocks_at_once<kPersistentThreads>(kPersistentBlocks))
    norm_persistent_row_kernel(const __grid_constant__ RowWork<T> work, const PersistentWork shared) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  extern __shared__ __align__(128) unsigned char memory[];
  persistent_rows<T, kNorm, kAny>(work, shared, *reinterpret_cast<SliceRing *>(memory));
#endif
}

}  // namespace gpuopt
