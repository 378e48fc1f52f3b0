// Weights of rows that begin alike in shared memory, widened and in the order in which threads ask for them.
#pragma once

#include "norm/common/narrow_results.cuh"
#include "norm/common/packed.cuh"
#include "norm/registers/staying_group.cuh"

namespace gpuopt {

// `kWeights` weights of a warp's V vectors a lane, and of rows that begin anywhere those of its element of head or tail. Weights
// of a vector lie beside each other, a lane's four elements beside its neighbour's.
template <class T, int V, int kWeights, bool kAny>
struct StayingWeights {
  static constexpr int K = 16 / sizeof(T), kParts = K / 4, kOfWarp = V * kWeights * kParts * 32;
  float4 *held, *of_single;  // of this warp and lane

  __device__ __forceinline__ float4 &slot(int v, int weight, int part) const {
    return held[((v * kWeights + weight) * kParts + part) * 32];
  }
  // Elements from `at` on of both weights, all under way at the same time.
  template <class W>
  static __device__ __forceinline__ void load(const View (&views)[kWeights], int32_t at, float (&a)[kWeights][K]) {
    Bits<W, K> bits[kWeights];
#pragma unroll
    for (int weight = 0; weight < kWeights; ++weight) {
      const View &view = views[weight];
#pragma unroll
      for (uint32_t &word : bits[weight].w) word = neutral_word<W>(weight == 0);
      if (view.dtype == 0) continue;
      const W *const from = start_of_weights<W>(view, 0) + at;
      if constexpr (!kAny) {
        bits[weight] = load_bits<W, K>(from);
      } else {
        W element[K];
#pragma unroll
        for (int e = 0; e < K; ++e) element[e] = from[e];
        bits[weight] = {};
#pragma unroll
        for (int e = 0; e < K; ++e) set_element(bits[weight], e, element[e]);
      }
    }
#pragma unroll
    for (int weight = 0; weight < kWeights; ++weight) widen_bits(bits[weight], a[weight]);
  }
  __device__ __forceinline__ void put(int v, const float (&a)[kWeights][K]) const {
#pragma unroll
    for (int weight = 0; weight < kWeights; ++weight) {
#pragma unroll
      for (int part = 0; part < kParts; ++part)
        slot(v, weight, part) =
            make_float4(a[weight][4 * part], a[weight][4 * part + 1], a[weight][4 * part + 2], a[weight][4 * part + 3]);
    }
  }
  // The lane's vectors number turn, turn + turns ... of elements from `first` on, and its element of head or tail.
  __device__ __forceinline__ void hold(const View (&views)[kWeights], const StayingCut &cut, int turn,
                                       int turns) const {
    const bool wide = sizeof(T) == 2 && (views[0].dtype == GPUOPT_F32 || views[kWeights - 1].dtype == GPUOPT_F32);
#pragma unroll 1
    for (int v = turn; v < V; v += turns) {
      if (v == V - 1 && !cut.has_last) continue;
      float a[kWeights][K];
      if (wide)
        load<float>(views, cut.first + v * 32 * K, a);
      else
        load<T>(views, cut.first + v * 32 * K, a);
      put(v, a);
    }
    if (!cut.has_single || turn != 0) return;
    float a[2] = {1.0f, -0.0f};
#pragma unroll
    for (int weight = 0; weight < kWeights; ++weight) {
      if (views[weight].dtype != 0)
        a[weight] = wide ? start_of_weights<float>(views[weight], 0)[cut.single]
                         : widen<float>(start_of_weights<T>(views[weight], 0)[cut.single]);
    }
    *of_single = make_float4(a[0], a[1], 0.0f, 0.0f);
  }
  __device__ __forceinline__ void get(int v, int weight, float (&a)[K]) const {
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      const float4 four = slot(v, weight, part);
      a[4 * part] = four.x;
      a[4 * part + 1] = four.y;
      a[4 * part + 2] = four.z;
      a[4 * part + 3] = four.w;
    }
  }
};

}  // namespace gpuopt
