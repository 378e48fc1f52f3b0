// Types that are known only at run time: with_dtype() turns the number into a type once, around a whole loop;
// load_element() and store_element() are its one-element forms.
#pragma once

#include "common/element.cuh"

namespace gpuopt {

// Each calls f(Type<T>{}): for the floats of at most 32 bits; for all floats; for all types but I64 and B128, which are
// no operands of a chain.
template <class F>
__host__ __device__ __forceinline__ void with_small_float_dtype(int32_t dtype, F &&f) {
  if (dtype == GPUOPT_F32) return f(Type<float>{});
  if (dtype == GPUOPT_F16) return f(Type<__half>{});
  if (dtype == GPUOPT_BF16) return f(Type<__nv_bfloat16>{});
  if (dtype == GPUOPT_E4M3) return f(Type<__nv_fp8_e4m3>{});
  if (dtype == GPUOPT_E5M2) return f(Type<__nv_fp8_e5m2>{});
}
template <class F>
__host__ __device__ __forceinline__ void with_float_dtype(int32_t dtype, F &&f) {
  if (dtype == GPUOPT_F64) return f(Type<double>{});
  with_small_float_dtype(dtype, static_cast<F &&>(f));
}
template <class F>
__host__ __device__ __forceinline__ void with_dtype(int32_t dtype, F &&f) {
  if (dtype == GPUOPT_I8) return f(Type<int8_t>{});
  if (dtype == GPUOPT_U8) return f(Type<uint8_t>{});
  if (dtype == GPUOPT_I32) return f(Type<int32_t>{});
  with_float_dtype(dtype, static_cast<F &&>(f));
}

// Element index of an array whose type is a run-time fact (any but I64 and B128).
template <class C>
__host__ __device__ __forceinline__ C load_element(const void *data, int64_t index, int32_t dtype) {
  C x = 0;
  with_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    x = widen<C>(static_cast<const T *>(data)[index]);
  });
  return x;
}
template <class C>
__host__ __device__ __forceinline__ void store_element(void *data, int64_t index, int32_t dtype, C x) {
  with_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    static_cast<T *>(data)[index] = narrow<T>(x);
  });
}

}  // namespace gpuopt
