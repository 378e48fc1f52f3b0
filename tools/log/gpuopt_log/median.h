// The median of any number of values in little memory: exact for few, within 0.6 % for many.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpuopt_log {

class Median {
 public:
  void add(double value);  // not negative
  double value() const;    // 0 of none
  int64_t count() const { return count_; }

 private:
  static int32_t bin_of(double value);
  void count_in(int32_t bin);

  static constexpr size_t kExact = 32;
  int64_t count_ = 0;
  std::vector<double> values_;                       // of few
  std::vector<std::pair<int32_t, int64_t>> counts_;  // of many, in order: bins of a 64th of an octave
};

}  // namespace gpuopt_log
