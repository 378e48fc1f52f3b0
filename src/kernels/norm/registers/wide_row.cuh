// A thread's elements of one row in fp32, from its statistics to its results: packed vectors are widened once, and what they
// lay in is free for the next row's.
#pragma once

#include "norm/registers/rows_part.cuh"

namespace gpuopt {

// What h holds after the statistics: of a layer norm of 16-bit rows distances from the origin, which are exact enough beside
// a 16-bit result and spare it a subtraction; of SOFTMAX exponentials of distances from the thread's greatest; else elements.
template <class T, int V, bool kAny>
struct WideRow {
  static constexpr int K = 16 / sizeof(T);
  template <int kNorm>
  static constexpr bool kDistances = kNorm == GPUOPT_NORM_LAYERNORM &&K == 8;
  float h[V][K], one, from;  // from: the origin, or the thread's greatest

  template <bool kAdds>
  __device__ __forceinline__ void widen(const RowsPart<T, V, kAdds, kAny> &part) {
#pragma unroll
    for (int v = 0; v < V; ++v) part.elements(v, h[v]);
    if constexpr (kAny) one = part.single();
  }

  // The two halves of AlikeGroup's statistics. All vectors but the last are there in every thread; `mine` of V are.
  template <int kNorm>
  __device__ __forceinline__ float origin(int mine, bool has_single, float &greatest) {
    if constexpr (kIsSoftmax<kNorm>) {
      greatest = -HUGE_VALF;
#pragma unroll
      for (int v = 0; v < V; ++v) {
        float of_vector = h[v][0];
#pragma unroll
        for (int e = 1; e < K; ++e) of_vector = greater(of_vector, h[v][e]);
        if (v < V - 1 || mine == V) greatest = greater(greatest, of_vector);
      }
      if (kAny && has_single) greatest = greater(greatest, one);
      from = greatest;
      return pivot(greatest);
    } else if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
      return mine > 0 ? origin_of(h[0]) : kAny && has_single ? one : 0.0f;
    } else {
      return 0.0f;
    }
  }
  template <int kNorm>
  __device__ __forceinline__ void sums(float origin, int mine, bool has_single, float &sum, float &squares,
                                       float &count) {
    sum = squares = 0;
    const auto add = [&](float &element, float &to, float &to_squares) {
      const float d = element - origin;
      if constexpr (kIsSoftmax<kNorm>) {
        const float power = fast::exp(d);
        to += power;
        if constexpr (kNorm == GPUOPT_NORM_SOFTMAX) element = power;
      } else {
        to += d;
        to_squares += d * d;
        if constexpr (kDistances<kNorm>) element = d;
      }
    };
#pragma unroll
    for (int v = 0; v < V; ++v) {
      float of_vector = 0, squares_of_vector = 0;
#pragma unroll
      for (int e = 0; e < K; ++e) add(h[v][e], of_vector, squares_of_vector);
      if (v < V - 1 || mine == V) {
        sum += of_vector;
        squares += squares_of_vector;
      }
    }
    if (kAny && has_single) add(one, sum, squares);
    if constexpr (kDistances<kNorm>) from = origin;
    count = static_cast<float>(mine * K + (kAny && has_single ? 1 : 0));
  }

  // The row's factors become those of what h holds.
  template <int kNorm>
  __device__ __forceinline__ void rebase(RowFactors &row) const {
    if constexpr (kDistances<kNorm>) row.move += (from - row.centre) * row.scale;
    if constexpr (kNorm == GPUOPT_NORM_SOFTMAX) row.scale *= fast::exp(from - row.centre);
  }
  template <int kNorm>
  static __device__ __forceinline__ float normalised(const RowFactors &row, float held) {
    if constexpr (kDistances<kNorm>) return held * row.scale + row.move;
    if constexpr (kNorm == GPUOPT_NORM_SOFTMAX) return held * row.scale;
    return gpuopt::normalised<kNorm>(row, held);
  }
};

}  // namespace gpuopt
