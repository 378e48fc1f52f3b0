// Division of 0 <= n < 2^31 by a run-time constant without the 64-bit path that common/index.cuh's Divider keeps for
// large n: a multiplication and a shift, which cost a kernel no registers.
#pragma once

#include <cstdint>

namespace gpuopt {

class UnsignedDivider {
 public:
  UnsignedDivider() = default;
  // 0 < d. With l = ceil(log2 d), magic = floor(2^(31+l) / d) + 1 makes n * magic >> (31 + l) exact for n < 2^31; of a
  // d that exceeds every n the quotient is 0.
  explicit UnsignedDivider(int64_t d) : d_(static_cast<uint32_t>(d >> 31 == 0 ? d : 0)) {
    if (d >> 31 != 0) return;
    while ((int64_t{1} << log2_) < d) ++log2_;
    magic_ = static_cast<uint32_t>((uint64_t{1} << (31 + log2_)) / static_cast<uint64_t>(d) + 1);
  }
  __host__ __device__ __forceinline__ uint32_t divide(uint32_t n, uint32_t &remainder) const {
    const uint32_t quotient = static_cast<uint32_t>(static_cast<uint64_t>(n) * magic_ >> (31 + log2_));
    remainder = n - quotient * d_;
    return quotient;
  }

 private:
  uint32_t d_ = 1, magic_ = 0, log2_ = 0;
};

}  // namespace gpuopt
