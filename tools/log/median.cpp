#include "gpuopt_log/median.h"

#include <algorithm>
#include <cmath>

namespace gpuopt_log {
namespace {

constexpr double kBinsOfOctave = 64, kLeast = 1e-9;

}  // namespace

int32_t Median::bin_of(double value) {
  return static_cast<int32_t>(std::floor(std::log2(std::max(value, kLeast)) * kBinsOfOctave));
}

void Median::count_in(int32_t bin) {
  const auto at = std::lower_bound(counts_.begin(), counts_.end(), bin,
                                   [](const std::pair<int32_t, int64_t> &c, int32_t b) { return c.first < b; });
  if (at != counts_.end() && at->first == bin)
    ++at->second;
  else
    counts_.insert(at, {bin, 1});
}

void Median::add(double value) {
  ++count_;
  if (counts_.empty()) {
    values_.push_back(value);
    if (values_.size() <= kExact) return;
    for (const double v : values_) count_in(bin_of(v));
    values_ = {};
  } else {
    count_in(bin_of(value));
  }
}

double Median::value() const {
  if (count_ == 0) return 0;
  if (counts_.empty()) {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const size_t half = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  int64_t left = count_ / 2;
  size_t i = 0;
  while (left >= counts_[i].second) left -= counts_[i++].second;
  return std::exp2((counts_[i].first + 0.5) / kBinsOfOctave);
}

}  // namespace gpuopt_log
