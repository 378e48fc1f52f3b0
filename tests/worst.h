// The largest of errors.
#pragma once
#include <cmath>

namespace gpuopt_test {

// NaN counts as infinitely wrong; std::max and std::fmax would pass over it.
inline void note(double *worst, double error) {
  if (!(error <= *worst)) *worst = error == error ? error : HUGE_VAL;
}

}  // namespace gpuopt_test
