// Division by a constant that is known at run time, by a multiplication and a shift: which row, which matrix an index
// lies in.
#pragma once

#include <cstdint>

namespace gpuopt {

// Division of 0 <= n by a run-time constant d > 0: a multiplication and a shift while n stays below 2^31,
// which the caller promises by passing the greatest n. (With l = ceil(log2 d) and magic = floor(2^(31+l) / d)
// + 1, n * magic >> (31 + l) is exact for n < 2^31: Granlund and Montgomery 1994.)
class Divider {
 public:
  Divider() = default;
  __host__ __device__ Divider(int64_t d, int64_t greatest_n) : d_(d) {
    if (d <= 0 || d >= (int64_t{1} << 31) || greatest_n >= (int64_t{1} << 31)) return;
    while ((int64_t{1} << log2_) < d) ++log2_;
    magic_ = static_cast<uint32_t>((uint64_t{1} << (31 + log2_)) / static_cast<uint64_t>(d) + 1);
    shift_ = 31 + log2_;
  }
  __host__ __device__ int64_t divide(int64_t n) const {
    if (shift_ == 0) return static_cast<int64_t>(static_cast<uint64_t>(n) / static_cast<uint64_t>(d_));
    return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(n)) * magic_ >> shift_);
  }
  __host__ __device__ int64_t divide(int64_t n, int64_t &remainder) const {
    const int64_t quotient = divide(n);
    remainder = n - quotient * d_;
    return quotient;
  }

 private:
  int64_t d_ = 1;
  uint32_t magic_ = 0;
  int32_t log2_ = 0;
  int32_t shift_ = 0;  // 0: plain 64-bit division
};

}  // namespace gpuopt
