// Divider (divider.cuh) in 32 bits, of 0 <= n < 2^31: no register for the path of greater ones.
#pragma once

#include <cstdint>

namespace gpuopt {

// Of a divisor beyond 2^31, which exceeds every n, the quotient is 0.
struct SmallDivider {
  int32_t d;
  uint32_t magic, shift;  // 0, 0 for 1

  SmallDivider() = default;
  explicit SmallDivider(int64_t divisor)
      : d(static_cast<int32_t>(divisor >> 31 == 0 ? divisor : 0)), magic(divisor >> 31 == 0 ? 0 : 1), shift(0) {
    if (divisor <= 1 || d == 0) return;
    int log2 = 0;
    while ((int64_t{1} << log2) < divisor) ++log2;
    magic = static_cast<uint32_t>((uint64_t{1} << (31 + log2)) / static_cast<uint64_t>(divisor) + 1);
    shift = static_cast<uint32_t>(log2 - 1);
  }
  __host__ __device__ __forceinline__ int32_t divide(int32_t n, int32_t &remainder) const {
    const auto high = static_cast<uint32_t>(uint64_t{static_cast<uint32_t>(n)} * magic >> 32);
    const int32_t q = magic == 0 ? n : static_cast<int32_t>(high >> shift);
    remainder = n - q * d;
    return q;
  }
};

}  // namespace gpuopt
