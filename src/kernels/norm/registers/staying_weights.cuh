// Weights of rows that begin alike in shared memory, widened and in the order in which threads ask for them.
#pragma once

#include "norm/common/other_types.cuh"
#include "norm/common/row_part.cuh"
#include "norm/common/row_work.cuh"

namespace gpuopt {

// How a row's vectors are dealt to warps: neighbours to each, as many as to the next or one unit more. So a warp's vectors are
// 32 apart whatever the row's length, and addresses are constants behind one register.
struct WarpShare {
  int32_t first, count;

  // Whole lines of memory where the row has no other.
  __device__ __forceinline__ static WarpShare of(int32_t vectors, int32_t warp, int32_t warps) {
    const int32_t unit = vectors % 8 == 0 ? 8 : 1, units = vectors / unit;
    const int32_t low = units / warps, extra = units - low * warps;
    return {(low * warp + min(warp, extra)) * unit, (low + (warp < extra ? 1 : 0)) * unit};
  }
};

// `kWeights` weights of a warp's V vectors a lane, and of rows that begin anywhere those of its element of head or tail. Weights
// of a vector lie beside each other, a lane's four elements beside its neighbour's.
template <class T, int V, int kWeights, bool kAny>
struct StayingWeights {
  static constexpr int K = 16 / sizeof(T), kParts = K / 4, kSingle = V * kWeights * kParts * 32;
  static constexpr int kOfWarp = kSingle + (kAny ? 32 : 0);
  float4 *held;  // of this warp and lane

  __device__ __forceinline__ float4 &slot(int v, int weight, int part) const {
    return held[((v * kWeights + weight) * kParts + part) * 32];
  }
  static __device__ __forceinline__ float element(const View &view, int32_t at, float absent) {
    if (view.dtype == 0) return absent;
    return view.dtype == GPUOPT_F32 ? start_of_weights<float>(view, 0)[at]
                                    : widen<float>(start_of_weights<T>(view, 0)[at]);
  }
  template <class W>
  static __device__ __forceinline__ void load(const W *weights, int32_t at, int32_t n, float (&a)[K]) {
    if constexpr (kAny) {
#pragma unroll
      for (int e = 0; e < K; ++e)
        if (at + e < n) a[e] = widen<float>(weights[at + e]);
    } else if (at + K <= n) {
      if constexpr (sizeof(W) == sizeof(T))
        widen_bits(load_bits<T, K>(weights + at), a);
      else
        load_wide<false>(weights + at, a);
    }
  }
  // Of a weight's n elements those from `at` on; neutral where it is absent.
  static __device__ __forceinline__ void load(const View &view, float neutral, int32_t at, int32_t n, float (&a)[K]) {
#pragma unroll
    for (int e = 0; e < K; ++e) a[e] = neutral;
    if (view.dtype == GPUOPT_F32)
      load(start_of_weights<float>(view, 0), at, n, a);
    else if (view.dtype != 0)
      load(start_of_weights<T>(view, 0), at, n, a);
  }
  __device__ __forceinline__ void put(int v, int weight, const float (&a)[K]) const {
#pragma unroll
    for (int part = 0; part < kParts; ++part)
      slot(v, weight, part) = make_float4(a[4 * part], a[4 * part + 1], a[4 * part + 2], a[4 * part + 3]);
  }
  // The lane's vectors number turn, turn + turns ... of elements from `first` on.
  __device__ __forceinline__ void hold(const View &gamma, const View &beta, int32_t first, int32_t n, int turn,
                                       int turns) {
#pragma unroll 1
    for (int v = turn; v < V; v += turns) {
      const int32_t at = first + v * 32 * K;
      float a[K], b[K];
      load(gamma, 1.0f, at, n, a);
      if constexpr (kWeights > 1) load(beta, -0.0f, at, n, b);  // -0: a sum's zero keeps its sign
      put(v, 0, a);
      if constexpr (kWeights > 1) put(v, 1, b);
    }
  }
  // Of the element of head or tail.
  __device__ __forceinline__ void hold_single(const View &gamma, const View &beta, int32_t at) {
    held[kSingle] = make_float4(element(gamma, at, 1.0f), kWeights > 1 ? element(beta, at, -0.0f) : -0.0f, 0.0f, 0.0f);
  }
  __device__ __forceinline__ float2 of_single() const { return *reinterpret_cast<const float2 *>(&held[kSingle]); }
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
