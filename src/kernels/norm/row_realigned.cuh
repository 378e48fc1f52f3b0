// A row of 16-bit elements that does not begin at 16 bytes, in packed vectors: those of out are aligned, x and weights
// are read where they lie and shifted into place. A vector that the row does not have is not asked for again: it holds
// elements that leave the statistics as they are, and only its store is left out.
#ifndef GPUOPT_KERNELS_NORM_ROW_REALIGNED_CUH
#define GPUOPT_KERNELS_NORM_ROW_REALIGNED_CUH

#include "norm/row.cuh"

namespace gpuopt {

// How a row of n elements is cut: head elements, whole vectors that are aligned in out, tail elements. Head and tail
// are an element a thread. They are a vector longer where an operand's shifted vectors would else reach beyond the row.
struct RowCut {
  int32_t head, vectors, at;  // at: the element of head or tail that this thread has; n: none

  template <class T>
  __device__ __forceinline__ static int32_t head_of(const T *out) {
    constexpr int K = 16 / sizeof(T);
    return (K - elements_before(out)) % K;
  }
  // head: head_of(). before: the most elements that an operand's element number `head` lies behind a 16-byte boundary.
  template <class T>
  __device__ __forceinline__ static RowCut of(int32_t head, int32_t before, int32_t n) {
    constexpr int K = 16 / sizeof(T);
    RowCut cut;
    cut.head = head < before ? head + K : head;
    if (cut.head > n) cut.head = n;
    cut.vectors = (n - cut.head) / K;
    if (before != 0 && cut.vectors > 0) --cut.vectors;
    const auto thread = static_cast<int32_t>(threadIdx.x);
    cut.at = thread < cut.head ? thread : cut.vectors * K + thread;
    return cut;
  }
};
constexpr int kLeastRealigned = 32;  // threads: head and tail have at most 2 (2 K - 1) elements

template <class T>
__device__ __forceinline__ uint32_t one_word() {
  return cuda::std::is_same_v<T, __half> ? 0x3c003c00u : 0x3f803f80u;
}
constexpr uint32_t kMinusZeroWord = 0x80008000u;  // adding it changes nothing, not even the sign of a zero

// A thread's vectors of one row.
template <class T, int V>
struct RowVectors {
  static constexpr int K = 16 / sizeof(T);
  Bits<T, K> bits[V];
  T one;  // of head or tail

  // Every vector that the row has not, and every word, becomes `word`.
  __device__ __forceinline__ void fill(uint32_t word) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
#pragma unroll
      for (int w = 0; w < Bits<T, K>::kWords; ++w) bits[v].w[w] = word;
    }
    one = element_of(bits[0], 0);
  }
  // from: the row's first element. Where vectors are not aligned as out's are they are shifted into place.
  __device__ __forceinline__ void load(const T *from, const RowCut &cut, int32_t n) {
    const auto threads = static_cast<int32_t>(blockDim.x), thread = static_cast<int32_t>(threadIdx.x);
    const T *const first = from + cut.head + thread * K;
    if (elements_before(from + cut.head) == 0) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (v * threads + thread < cut.vectors) bits[v] = load_bits<T, K>(first + v * threads * K);
      }
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (v * threads + thread < cut.vectors) bits[v] = load_shifted<T, K>(first + v * threads * K);
        if (v % 2 == 1) asm volatile("" ::: "memory");  // no more loads before these are shifted: registers
      }
    }
    if (cut.at < n) one = from[cut.at];
  }
};

// Elements stay two to a register: the compiler is not to keep them as floats from one use to the next.
template <class T, int V>
__device__ __forceinline__ void stay_packed(RowVectors<T, V> &row) {
#pragma unroll
  for (int v = 0; v < V; ++v) {
#pragma unroll
    for (uint32_t &word : row.bits[v].w) asm volatile("" : "+r"(word));
  }
}

template <int kNorm, class T, int V>
__device__ __forceinline__ Moments moments_of_row(const RowVectors<T, V> &row, const RowCut &cut, int32_t n) {
  constexpr int K = RowVectors<T, V>::K;
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM;
  // LAYERNORM takes differences from an element of the thread's own, as in row_tile.cuh, and none of what the row has
  // not; squares of that are 0.
  const auto threads = static_cast<int32_t>(blockDim.x), thread = static_cast<int32_t>(threadIdx.x);
  const float origin = !kLayer ? 0.0f : widen<float>(thread < cut.vectors ? element_of(row.bits[0], 0) : row.one);
  float sum = 0, squares = 0, count = 0;
  const auto add = [&](float h) {
    const float d = h - origin;
    sum += d;
    squares += d * d;
  };
#pragma unroll
  for (int v = 0; v < V; ++v) {
    if (kLayer && v * threads + thread >= cut.vectors) continue;
    float h[K];
    widen_bits(row.bits[v], h);
#pragma unroll
    for (int e = 0; e < K; ++e) add(h[e]);
    count += K;
  }
  if (!kLayer || cut.at < n) {
    add(widen<float>(row.one));
    count += 1;
  }
  if constexpr (!kLayer) return {0.0f, 0.0f, 0.0f, squares};
  const float mean = count > 0 ? __fdividef(sum, count) : 0.0f;
  return {count, origin + mean, origin * count + sum, squares - sum * mean};
}

}  // namespace gpuopt

#endif
