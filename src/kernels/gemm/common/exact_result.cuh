// What exact sums of integers become, times a factor in fp64: D's type, in a word of 32 bits.
#pragma once

#include "common/element.cuh"
#include "gpuopt/gpuopt.h"

namespace gpuopt {

template <class T>
__device__ __forceinline__ int32_t exact_word(double x) {
  const T result = narrow<T>(x);
  int32_t word = 0;
  memcpy(&word, &result, sizeof(T));
  return word;
}

// Each sum times the factor, rounded once to dtype: I32, F32 or I8.
template <int N>
__device__ __forceinline__ void exact_words(int32_t dtype, double factor, int32_t (&x)[N]) {
  if (dtype == GPUOPT_I32 && factor == 1) return;
#pragma unroll
  for (int e = 0; e < N; ++e) {
    if (dtype == GPUOPT_F32)
      x[e] = factor == 1 ? __float_as_int(static_cast<float>(x[e])) : exact_word<float>(factor * x[e]);
    else if (dtype == GPUOPT_I8)
      x[e] = factor == 1 ? max(min(x[e], 127), -128) : exact_word<int8_t>(factor * x[e]);
    else
      x[e] = exact_word<int32_t>(factor * x[e]);
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
