// What a thread has of a row: vectors, and of one that begins anywhere an element of head or tail.
#pragma once

#include "norm/common/row_part.cuh"
#include "norm/common/unaligned.cuh"

namespace gpuopt {

// How a row of n elements is cut: head elements, whole vectors that are aligned in out, tail elements. Head and tail are
// an element a thread. They are a vector longer where an operand's shifted vectors would else reach beyond the row.
struct RowCut {
  int32_t head, vectors, at;  // at: the element of head or tail that this thread has; n: none

  // before: the most elements that an operand's element number `head` lies behind a 16-byte boundary.
  template <class T>
  __device__ __forceinline__ static RowCut of(int32_t head, int32_t before, int32_t n, int32_t rank) {
    constexpr int K = 16 / sizeof(T);
    RowCut cut;
    cut.head = min(head < before ? head + K : head, n);
    cut.vectors = (n - cut.head) / K;
    if (before != 0 && cut.vectors > 0) --cut.vectors;
    cut.at = rank < cut.head ? rank : min(cut.vectors * K + rank, n);
    return cut;
  }
};

// A thread's vectors of one row of one operand; kAny: wherever it begins, and the element of head or tail.
template <class T, int V, bool kAny>
struct RowVectors {
  static constexpr int K = 16 / sizeof(T);
  Bits<T, K> bits[V];
  T one;

  // Of an aligned row a vector that it does not have is read from its last one; of others it is not read.
  __device__ __forceinline__ void load(const T *row, const RowCut &cut, int32_t rank, int32_t size, int32_t n) {
    if constexpr (!kAny) {
      uint32_t offset = rank * 16;
      const uint32_t last = (cut.vectors - 1) * 16;
#pragma unroll
      for (int v = 0; v < V; ++v, offset += size * 16) bits[v] = load_bits<T, K>(behind(row, min(offset, last)));
    } else {
      const T *const first = row + cut.head + rank * K;
      if (elements_before(row + cut.head) == 0) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          if (v * size + rank < cut.vectors) bits[v] = load_bits<T, K>(first + v * size * K);
        }
      } else {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          if (v * size + rank < cut.vectors) bits[v] = load_unaligned<T, K>(first + v * size * K);
          if (v % 2 == 1) asm volatile("" ::: "memory");  // no more loads before these are shifted: registers
        }
      }
      if (cut.at < n) one = row[cut.at];
    }
  }
  __device__ __forceinline__ void fill(uint32_t word) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
#pragma unroll
      for (uint32_t &w : bits[v].w) w = word;
    }
    one = element_of(bits[0], 0);
  }
};

// A thread's part of one row, and the residual's where there is one.
template <class T, int V, bool kAdds, bool kAny>
struct RowsPart {
  static constexpr int K = 16 / sizeof(T);
  RowVectors<T, V, kAny> x, residual;

  __device__ __forceinline__ void elements(int v, float (&h)[K]) const {
    widen_bits(x.bits[v], h);
    if constexpr (kAdds) add(h, residual.bits[v]);
  }
  __device__ __forceinline__ float single() const {
    return kAdds ? widen<float>(x.one) + widen<float>(residual.one) : widen<float>(x.one);
  }
  // What the distances of the statistics' sums are taken from: of LAYERNORM an element of the thread's own, as RunningMoments
  // does, of softmax the greatest, which `greatest` gets.
  template <int kNorm>
  __device__ __forceinline__ float origin(int mine, bool has_single, float &greatest) const {
    if constexpr (kIsSoftmax<kNorm>) {
      greatest = -HUGE_VALF;
#pragma unroll
      for (int v = 0; v < V; ++v) {
        float h[K], of_vector = -HUGE_VALF;
        elements(v, h);
#pragma unroll
        for (int e = 0; e < K; ++e) of_vector = greater(of_vector, h[e]);
        greatest = v < mine ? greater(greatest, of_vector) : greatest;
      }
      if (kAny && has_single) greatest = greater(greatest, single());
      return pivot(greatest);
    } else if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
      float h[K];
      elements(0, h);
      return mine > 0 ? origin_of(h) : kAny && has_single ? single() : 0.0f;
    } else {
      return 0.0f;
    }
  }
  // Of the `mine` vectors that the thread has, and of single() where it has that: sums of distances from the origin, or of their
  // exponentials, and of their squares; count: how many there are.
  template <int kNorm>
  __device__ __forceinline__ void sums(float origin, int mine, bool has_single, float &sum, float &squares,
                                       float &count) const {
    sum = squares = count = 0;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      float h[K], of_vector = 0, squares_of_vector = 0;
      elements(v, h);
#pragma unroll
      for (int e = 0; e < K; ++e) {
        const float d = h[e] - origin;
        of_vector += kIsSoftmax<kNorm> ? fast::exp(d) : d;
        squares_of_vector += d * d;
      }
      sum += v < mine ? of_vector : 0.0f;
      squares += v < mine ? squares_of_vector : 0.0f;
      count += v < mine ? K : 0.0f;
    }
    if (kAny && has_single) {
      const float d = single() - origin;
      sum += kIsSoftmax<kNorm> ? fast::exp(d) : d;
      squares += d * d;
      count += 1;
    }
  }
  template <int kNorm>
  __device__ __forceinline__ Moments moments(int mine, bool has_single) const {
    Moments m = no_moments<kNorm>();
    float sum, squares, count;
    const float from = origin<kNorm>(mine, has_single, m.first);
    sums<kNorm>(from, mine, has_single, sum, squares, count);
    if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) return moments_of_distances(count, from, sum, squares);
    m.second = kIsSoftmax<kNorm> ? sum : squares;
    return m;
  }
};

}  // namespace gpuopt
