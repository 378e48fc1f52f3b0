// What exact sums of integers become, times a factor in fp64: D's type, in a word of 32 bits.
#pragma once

#include "common/element.cuh"
#include "gpuopt/gpuopt.h"

namespace gpuopt {

// Each sum times the factor, rounded once to dtype: I32, F32 or I8. What is to be done is found once for all.
template <int N>
__device__ __forceinline__ void exact_words(int32_t dtype, double factor, int32_t (&x)[N]) {
  const auto each = [&](auto &&f) {
#pragma unroll
    for (int e = 0; e < N; ++e) x[e] = f(x[e]);
  };
  if (dtype == GPUOPT_F32) {
    if (factor == 1) return each([](int32_t v) { return __float_as_int(static_cast<float>(v)); });
    return each([&](int32_t v) { return __float_as_int(static_cast<float>(factor * v)); });
  }
  if (factor == 1) {
    if (dtype == GPUOPT_I8) each([](int32_t v) { return max(min(v, 127), -128); });
  } else if (!isfinite(factor)) {
    each([&](int32_t v) { return dtype == GPUOPT_I8 ? narrow<int8_t>(factor * v) : narrow<int32_t>(factor * v); });
  } else if (dtype == GPUOPT_I8) {
    each([&](int32_t v) { return max(min(__double2int_rn(factor * v), 127), -128); });  // which saturates
  } else {
    each([&](int32_t v) { return __double2int_rn(factor * v); });
  }
}

// store: has what the factor is made of.
template <class Store>
__device__ __forceinline__ double exact_factor(const Store &store) {
  double x = store.exact_alpha_ptr != nullptr ? *store.exact_alpha_ptr : store.exact_alpha;
  if (store.scale_a != nullptr) x *= *store.scale_a;
  if (store.scale_b != nullptr) x *= *store.scale_b;
  return x;
}

}  // namespace gpuopt
