// Sums of products of parts by their powers of two.
#pragma once

#include <cstring>

#include "gemm/common/f32_split_scaling.h"

namespace gpuopt {

// 2 to the power of -126 .. 127.
__device__ inline float f32_power_of_two(int32_t exponent) {
  const int32_t bits = (exponent + 127) << 23;
  float power;
  memcpy(&power, &bits, sizeof power);
  return power;
}
// A sum, by a power of two for its row and column together; in two steps, as that may be no fp32 number.
__device__ inline float f32_split_unscaled(float sum, int32_t exponent) {
  const int32_t part = exponent >> 1;
  return sum * f32_power_of_two(part) * f32_power_of_two(exponent - part);
}

}  // namespace gpuopt
