// A thread's vectors of a row that begins and ends at 16 bytes, packed as they lie in memory.
#pragma once

#include "norm/common/packed.cuh"
#include "norm/common/row_work.cuh"

namespace gpuopt {

// A row begins at an address that is the same for all threads of a block, so what differs is 32 bits.
template <class T>
__device__ __forceinline__ const T *behind(const T *row, uint32_t bytes) {
  return reinterpret_cast<const T *>(reinterpret_cast<const char *>(row) + bytes);
}
template <class T>
__device__ __forceinline__ T *behind(T *row, uint32_t bytes) {
  return reinterpret_cast<T *>(reinterpret_cast<char *>(row) + bytes);
}

// A thread's vectors of one row: `vectors` of 16 bytes, of which the thread has number rank, rank + size, ...
template <class T, int V>
struct RowPart {
  static constexpr int K = 16 / sizeof(T);
  Bits<T, K> bits[V];
  int32_t vectors, rank, size;

  __device__ __forceinline__ bool has(int v) const { return v * size + rank < vectors; }

  // A vector that the row does not have is read from its last one. Neither this nor moments() branches: where they do,
  // the compiler puts the last load off until the first vector has come.
  __device__ __forceinline__ void load(const T *row) {
    uint32_t offset = rank * 16;
    const uint32_t last = (vectors - 1) * 16;
#pragma unroll
    for (int v = 0; v < V; ++v, offset += size * 16)
      bits[v] = load_bits<T, K>(behind(row, offset < last ? offset : last));
  }
  // LAYERNORM takes distances from an element of the thread's first vector, as RunningMoments does.
  template <int kNorm>
  __device__ __forceinline__ Moments moments() const {
    float origin = 0, sum = 0, squares = 0, count = 0;
    if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
      float first[K];
      widen_bits(bits[0], first);
      origin = has(0) ? origin_of(first) : 0.0f;
    }
#pragma unroll
    for (int v = 0; v < V; ++v) {
      float h[K], of_vector = 0, squares_of_vector = 0;
      widen_bits(bits[v], h);
#pragma unroll
      for (int e = 0; e < K; ++e) {
        const float d = h[e] - origin;
        of_vector += d;
        squares_of_vector += d * d;
      }
      sum += has(v) ? of_vector : 0.0f;
      squares += has(v) ? squares_of_vector : 0.0f;
      count += has(v) ? K : 0.0f;
    }
    if constexpr (kNorm == GPUOPT_NORM_RMSNORM) return {0.0f, 0.0f, 0.0f, squares};
    return moments_of_distances(count, origin, sum, squares);
  }
};

}  // namespace gpuopt
