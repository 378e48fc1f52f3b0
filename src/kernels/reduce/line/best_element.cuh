// ARGMIN and ARGMAX of floats over one line by a grid: what a thread keeps, and how threads and blocks find the one
// element.
//
// Keys of floats have 32 bits (ops.cuh), and so have positions in the lines that are sent here, so both fit one word,
// of which the least belongs to the first of the best. A warp finds it by two reductions in hardware, the block that
// joins the others by one 8-byte load for each, as for a sum. Until the block has its best the position is a vector's;
// the element is found by reading that vector again, which the multiprocessor's own cache still has of small lines.
#pragma once

#include "reduce/common/lanes.cuh"
#include "reduce/line/meet.cuh"

namespace gpuopt {

// A slot has a word's complement (element_word()), which is never zero: a word that is seen is a whole one.
constexpr uint64_t kNoElement = ~uint64_t{1};
__device__ __forceinline__ uint64_t lesser_word(uint64_t a, uint64_t b) { return b < a ? b : a; }

// What a thread keeps of its vectors, which come in their order: the greatest value in the order of order.cuh, and
// the first vector that has it.
template <class T, int N>
struct BestVector {
  float best = lowest<float>();
  uint32_t vector;  // initially the thread's first: if none is greater than the lowest of all

  // x[u] is vector first + u * step of the line's body.
  template <int U>
  __device__ __forceinline__ void absorb(bool keep, int count, const Pack<T, N> (&x)[U], uint32_t first,
                                         uint32_t step) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u >= count) continue;
      const float most = greatest_of(x[u], keep);
      if (is_above(most, best)) {
        best = most;
        vector = first + u * step;
      }
    }
  }
};

// A block's best, by a whole warp: from the number of a vector (0: the elements before the body; v + 1: vector v, the
// last of them what is behind it) to the element's, an element a lane.
template <int N, class T>
__device__ __forceinline__ uint64_t element_of_best(uint64_t word, int32_t most, const T *line, uint32_t head,
                                                    uint32_t length) {
  const auto key = static_cast<uint32_t>(word >> 32), number = static_cast<uint32_t>(word);
  const uint32_t lane = threadIdx.x % kWarp, at = (number == 0 ? 0 : (number - 1) * N + head) + lane;
  const bool is_it = lane < N && at < length && to_key(widen<float>(line[at]), most) == key;
  const uint32_t found = __ballot_sync(~0u, is_it);
  return found == 0 ? kNoElement : element_word(key, at - lane + __ffs(static_cast<int>(found)) - 1);
}

// As join_all() (meet.cuh): from the words of all threads, with numbers of vectors, to the one of the grid, with the
// element's. Slots are single words. to_element() is called by a warp with its block's best.
template <int kThreads, class F>
__device__ __forceinline__ bool join_best(uint64_t *slots, uint32_t ticket, uint64_t word, F &&to_element,
                                          uint64_t *total) {
  constexpr int kWarps = kThreads / kWarp, kAtOnce = kThreads / 128;
  __shared__ uint64_t of_warp[kWarps], total_of_warp[kWarps];
  __shared__ uint32_t ticket_of_block;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / kWarp, lane = thread % kWarp;
  const int splits = static_cast<int>(gridDim.x), own = static_cast<int>(blockIdx.x);
  word = least_of_warp(word);
  if (lane == 0) of_warp[warp] = word;
  if (thread == 0) ticket_of_block = ticket;
  __syncthreads();
  const bool is_last = ticket_of_block == static_cast<uint32_t>(splits - 1);
  if (warp != 0 && (!is_last || splits <= kWarp)) return false;
  word = kNoElement;
  if (warp == 0) {
    word = to_element(least_of_warp(of_warp[lane % kWarps]));
    if (!is_last) {
      if (lane == 0) SlotWord(slots[own]).store(~word, cuda::memory_order_relaxed);
      return false;
    }
    *total = word;
    if (splits == 1) return lane == 0;
  }
#pragma unroll 1
  for (int base = thread; base < splits; base += kAtOnce * kThreads) {
    uint64_t words[kAtOnce];
    bool all;
    do {
      all = true;
#pragma unroll
      for (int b = 0; b < kAtOnce; ++b) {
        const int s = base + b * kThreads;
        words[b] = ~kNoElement;
        if (s < splits && s != own) words[b] = SlotWord(slots[s]).load(cuda::memory_order_relaxed);
        all = all && words[b] != 0;
      }
    } while (!all);
#pragma unroll
    for (int b = 0; b < kAtOnce; ++b) {
      const int s = base + b * kThreads;
      if (s < splits && s != own) slots[s] = 0;
      word = lesser_word(word, ~words[b]);
    }
  }
  __syncwarp();
  word = least_of_warp(word);
  if (splits > kWarp) {
    if (lane == 0) total_of_warp[warp] = word;
    __syncthreads();
    if (warp != 0) return false;
    word = least_of_warp(total_of_warp[lane % kWarps]);
  }
  *total = word;
  return lane == 0;
}

}  // namespace gpuopt
