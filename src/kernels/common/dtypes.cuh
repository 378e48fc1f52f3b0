// Types by their numbers.
#pragma once

#include "common/element.cuh"

namespace gpuopt {

// The number of each storage type but B128's.
template <class T>
constexpr int32_t dtype_of = std::is_same_v<T, float>           ? GPUOPT_F32
                             : std::is_same_v<T, double>        ? GPUOPT_F64
                             : std::is_same_v<T, __half>        ? GPUOPT_F16
                             : std::is_same_v<T, __nv_bfloat16> ? GPUOPT_BF16
                             : is_e4m3<T>                       ? GPUOPT_E4M3
                             : is_fp8<T>                        ? GPUOPT_E5M2
                             : std::is_same_v<T, int8_t>        ? GPUOPT_I8
                             : std::is_same_v<T, uint8_t>       ? GPUOPT_U8
                             : std::is_same_v<T, int32_t>       ? GPUOPT_I32
                             : std::is_same_v<T, int64_t>       ? GPUOPT_I64
                                                                : 0;

// Bytes of one element; also for B128.
__host__ __device__ constexpr int dtype_bytes(int32_t dtype) {
#define GPUOPT_X_(name, value, bytes, text, cls, what) \
  if (dtype == value) return bytes;
  GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  return 0;
}

}  // namespace gpuopt
