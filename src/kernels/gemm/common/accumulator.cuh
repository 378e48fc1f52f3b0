// What sums are kept in without tensor cores: float, double or int32_t (exact, wrapping), and what goes with each.
#pragma once

#include "common/with_dtype.cuh"

namespace gpuopt {

// The type of alpha, beta and the epilogue.
template <class Acc>
using EpilogueType = std::conditional_t<std::is_same_v<Acc, float>, float, double>;

// Calls f(Type<T>{}) for the types that A and B may have with this accumulator.
template <class Acc, class F>
__device__ __forceinline__ void with_gemm_dtype(int32_t dtype, F &&f) {
  if constexpr (std::is_same_v<Acc, float>) {
    with_small_float_dtype(dtype, static_cast<F &&>(f));
  } else if constexpr (std::is_same_v<Acc, double>) {
    f(Type<double>{});
  } else {
    f(Type<int8_t>{});
  }
}

template <class Acc>
__device__ __forceinline__ Acc multiply_add(Acc a, Acc b, Acc acc) {
  if constexpr (std::is_same_v<Acc, int32_t>) {  // unsigned, because signed overflow is undefined
    return static_cast<int32_t>(static_cast<uint32_t>(acc) + static_cast<uint32_t>(a * b));
  } else {
    return a * b + acc;
  }
}

}  // namespace gpuopt
