// The value of a stage (stage_values.h) on the device, for a kind known when compiling or the same for all threads, and
// its functions as the standard library has them. fast_stages.cuh has those that cost a few instructions.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/stage_values.h"

namespace gpuopt {

// The functions of GPUOPT_STAGE_TABLE, written so that they do not cancel in their tails.
struct AccurateMath {
  template <class C>
  static __device__ __forceinline__ C relu(C x) {
    return x <= C(0) ? C(0) : x;
  }
  template <class C>
  static __device__ __forceinline__ C leaky_relu(C x, const C &slope) {
    return x < C(0) ? slope * x : x;
  }
  template <class C>
  static __device__ __forceinline__ C step(C x) {
    return x > C(0) ? C(1) : C(0);
  }
  template <class C>
  static __device__ __forceinline__ C clamp(C x, C low, C high) {
    x = x < low ? low : x;
    return x > high ? high : x;
  }
  template <class C>
  static __device__ __forceinline__ C absolute(C x) {
    return std::fabs(x);
  }
  template <class C>
  static __device__ __forceinline__ C exp(C x) {
    return std::exp(x);
  }
  template <class C>
  static __device__ __forceinline__ C log(C x) {
    return std::log(x);
  }
  template <class C>
  static __device__ __forceinline__ C square_root(C x) {
    return std::sqrt(x);
  }
  template <class C>
  static __device__ __forceinline__ C reciprocal(C x) {
    return C(1) / x;
  }
  template <class C>
  static __device__ __forceinline__ C tanh(C x) {
    return std::tanh(x);
  }
  template <class C>
  static __device__ __forceinline__ C sigmoid(C x) {
    return C(1) / (C(1) + std::exp(-x));
  }
  template <class C>
  static __device__ __forceinline__ C silu(C x) {
    return x / (C(1) + std::exp(-x));
  }
  // (1 + erf(x / sqrt 2)) / 2, without the cancellation of 1 + erf for x << 0.
  template <class C>
  static __device__ __forceinline__ C normal_cdf(C x) {
    return C(0.5) * std::erfc(x * C(-0.70710678118654752440));
  }
  template <class C>
  static __device__ __forceinline__ C gelu(C x) {
    return x * normal_cdf(x);
  }
  // (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u)).
  template <class C>
  static __device__ __forceinline__ C gelu_tanh(C x) {
    const C u = C(0.79788456080286535588) * (x + C(0.044715) * x * x * x);
    return x / (C(1) + std::exp(C(-2) * u));
  }
  template <class C>
  static __device__ __forceinline__ C gelu_gradient(C a) {
    return normal_cdf(a) + a * C(0.39894228040143267794) * std::exp(C(-0.5) * a * a);
  }
  template <class C>
  static __device__ __forceinline__ C silu_gradient(C a) {
    const C s = sigmoid(a);
    return s * (C(1) + a * (C(1) - s));
  }
};

// No stage but those of the list has a value, and so no kernel claims another (descriptor.h).
template <int32_t kKind, class Math, class C>
__device__ __forceinline__ C stage_value(C x, const C &v0 = C(1), const C &v1 = C(1), C a = C(1), C b = C(1)) {
  static_assert((kAllStageKinds >> kKind & 1) != 0 && kKind != GPUOPT_STAGE_STORE, "common/stage_values.h lists it");
#define GPUOPT_VALUE_(name, value) \
  if constexpr (kKind == GPUOPT_STAGE_##name) return value;
  GPUOPT_STAGE_VALUES(GPUOPT_VALUE_)
#undef GPUOPT_VALUE_
}

// x[e] becomes its value after a stage of a kind that is the same for all threads, and one of kKinds. store() is what STORE does.
template <uint64_t kKinds, class Math, class C, int N, class Store>
__device__ __forceinline__ void apply_stage(int32_t kind, const C &v0, const C &v1, const C (&a)[N], const C (&b)[N],
                                            C (&x)[N], Store &&store) {
#define GPUOPT_CASE_(name, value)                                           \
  case GPUOPT_STAGE_##name:                                                 \
    if constexpr ((kKinds >> GPUOPT_STAGE_##name & 1) != 0) {               \
      _Pragma("unroll") for (int e = 0; e < N; ++e) x[e] =                  \
          stage_value<GPUOPT_STAGE_##name, Math>(x[e], v0, v1, a[e], b[e]); \
    }                                                                       \
    break;
  switch (kind) {
    GPUOPT_STAGE_VALUES(GPUOPT_CASE_)
    case GPUOPT_STAGE_STORE:
      store();
      break;
    default:
      break;
  }
#undef GPUOPT_CASE_
}
template <uint64_t kKinds, class Math, class C, int N>
__device__ __forceinline__ void apply_stage(int32_t kind, const C &v0, const C &v1, C (&x)[N]) {
  C one[N];
#pragma unroll
  for (int e = 0; e < N; ++e) one[e] = C(1);
  apply_stage<kKinds, Math>(kind, v0, v1, one, one, x, [] {});
}

// The same for few kinds, which are asked for one after the other; the last is not.
template <class Math, int32_t kKind, int32_t... kOthers, class C, int N>
__device__ __forceinline__ void apply_one_of(int32_t kind, const C &v0, const C (&a)[N], C (&x)[N]) {
  if constexpr (sizeof...(kOthers) > 0) {
    if (kind != kKind) return apply_one_of<Math, kOthers...>(kind, v0, a, x);
  }
#pragma unroll
  for (int e = 0; e < N; ++e) x[e] = stage_value<kKind, Math>(x[e], v0, v0, a[e]);
}

}  // namespace gpuopt
