#include "samples.h"

#include <algorithm>
#include <cmath>

namespace gpuopt_measure {

bool beats(const Time &a, const Time &b) {
  const bool known = a.us > 0 && b.us > 0 && a.noise < 1 && b.noise < 1;
  return known && a.us * (1 + a.noise) < b.us * (1 - b.noise);
}

double both_modes(double alone_us, double in_graph_us) {
  return alone_us > 0 && in_graph_us > 0 ? std::sqrt(alone_us * in_graph_us) : 0;
}

Time both_modes(const Time &alone, const Time &in_graph) {
  const double us = both_modes(alone.us, in_graph.us);
  return us > 0 ? Time{us, (alone.noise + in_graph.noise) / 2} : Time{};
}

double Samples::quantile(double q) const {
  if (values_.empty()) return 0;
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  const double at = q * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(at), above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

Time Samples::time() const {
  Time time;
  time.us = quantile(0.5);
  if (values_.size() < kFew || time.us <= 0) return time;
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  // How many samples lie below the median is binomial: between n/2 -+ 1.96 sqrt(n)/2, 19 times of 20.
  const double n = static_cast<double>(sorted.size()), reach = 0.98 * std::sqrt(n);
  const size_t low = static_cast<size_t>(std::max(0.0, std::floor(n / 2 - reach)));
  const size_t high = std::min(sorted.size() - 1, static_cast<size_t>(std::ceil(n / 2 + reach)) - 1);
  time.noise = std::max(kLeastNoise, (sorted[high] - sorted[low]) / 2 / time.us);
  return time;
}

}  // namespace gpuopt_measure
