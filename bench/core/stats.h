// Medians and spread. Header-only, no CUDA: the command line uses it on the CPU too.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace gpuopt_bench {

// The q-quantile of sorted values, between neighbours by linear interpolation; 0 of none.
inline double quantile(const std::vector<double> &sorted, double q) {
  if (sorted.empty()) return 0;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

struct Spread {
  double median = 0, p10 = 0, p90 = 0;
};

inline Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.9)};
}

}  // namespace gpuopt_bench
