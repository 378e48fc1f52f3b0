// A thread's elements of one row in fp32, from its statistics to its results: packed vectors are widened once.
#pragma once

#include "norm/common/row_work.cuh"
#include "norm/registers/staying_group.cuh"

namespace gpuopt {

// What h holds after the statistics: of a layer norm of 16-bit rows distances from the origin, which are exact enough beside
// a 16-bit result and spare it a subtraction; of SOFTMAX exponentials of distances from the thread's greatest; else elements.
template <class T, int V, bool kAny>
struct WideRow {
  static constexpr int K = 16 / sizeof(T);
  template <int kNorm>
  static constexpr bool kDistances = kNorm == GPUOPT_NORM_LAYERNORM &&K == 8;
  float h[V][K], one, from;  // from: the origin, or the thread's greatest

  // f(elements, their count) of the vectors, and the element of head or tail, that are there.
  template <class F>
  __device__ __forceinline__ void each(const StayingCut &cut, F &&f) {
#pragma unroll
    for (int v = 0; v < V; ++v) f(h[v], v < V - 1 || cut.has_last);
    if constexpr (kAny) f(reinterpret_cast<float(&)[1]>(one), cut.has_single);
  }

  // The statistics of a row of n elements, of_warp of them this warp's; before(): before the warps meet. 16-bit elements, whose
  // spread is never small beside their size, have one origin a warp, so that its lanes' sums are joined as they are.
  template <int kNorm, class F>
  __device__ __forceinline__ Moments statistics(const StayingCut &cut, StayingGroup &group, float n, float of_warp,
                                                float per_element, F &&before) {
    Moments m = no_moments<kNorm>();
    if constexpr (kIsSoftmax<kNorm>) {
      each(cut, [&](auto &of_vector, bool there) {
        float greatest = of_vector[0];
#pragma unroll
        for (float element : of_vector) greatest = greater(greatest, element);
        if (there) m.first = greater(m.first, greatest);
      });
      from = m.first;
      const float origin = pivot(from);
      each(cut, [&](auto &of_vector, bool there) {
        float sum = 0;
#pragma unroll
        for (float &element : of_vector) {
          const float power = fast::exp(element - origin);
          sum += power;
          if constexpr (kNorm == GPUOPT_NORM_SOFTMAX) element = power;
        }
        if (there) m.second += sum;
      });
      m = join_lanes<kNorm, 32>(m, of_warp);
      before();
      return group.template join<kNorm>(m, n);
    }
    float origin = 0, sum = 0, squares = 0, count = 0;
    if constexpr (kNorm == GPUOPT_NORM_LAYERNORM) {
      origin = V > 1 || cut.has_last ? origin_of(h[0]) : kAny && cut.has_single ? one : 0.0f;
      if constexpr (kDistances<kNorm>) from = origin = __shfl_sync(~0u, origin, 0);  // the first has elements
    }
    each(cut, [&](auto &of_vector, bool there) {
      float sum_of_vector = 0, squares_of_vector = 0;
#pragma unroll
      for (float &element : of_vector) {
        const float d = element - origin;
        sum_of_vector += d;
        squares_of_vector += d * d;
        if constexpr (kDistances<kNorm>) element = d;
      }
      if (!there) return;
      sum += sum_of_vector;
      squares += squares_of_vector;
      count += static_cast<float>(sizeof of_vector / sizeof(float));
    });
    if constexpr (kDistances<kNorm>) {
      sum = sum_of_lanes(sum);
      squares = sum_of_lanes(squares);
      before();
      return group.join_distances(origin, sum, squares, n, per_element);
    }
    if constexpr (kNorm == GPUOPT_NORM_RMSNORM) {
      m.second = sum_of_lanes(squares);
    } else {
      m = join_lanes<kNorm, 32>(moments_of_distances(count, origin, sum, squares), of_warp);
    }
    before();
    return group.template join<kNorm>(m, n);
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
