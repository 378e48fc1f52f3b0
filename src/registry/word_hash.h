// The hash of records that are made of words.
#pragma once
#include <cstdint>

namespace gpuopt {

// Every word times an odd number of its own: products do not wait for each other. The high bits are the good ones.
class WordHash {
 public:
  void add(uint64_t word) {
    value_ += word * odd_;
    odd_ += 2 * UINT64_C(0x9E3779B97F4A7C15);
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0, odd_ = UINT64_C(0x9E3779B97F4A7C15);
};

}  // namespace gpuopt
