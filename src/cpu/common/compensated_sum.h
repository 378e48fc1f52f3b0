/* Neumaier's compensated sum: what an addition rounds away is added up on the side. */
#pragma once

#include <cmath>

namespace gpuopt {
namespace cpu {

class CompensatedSum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    lost_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  /* Once the sum is infinite or NaN there is no error to speak of (and the formula above makes it NaN). */
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace cpu
}  // namespace gpuopt
