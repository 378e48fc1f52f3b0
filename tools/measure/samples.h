// Times of one thing, taken again and again: their median, and how far off it may be.
#pragma once
#include <cstddef>
#include <vector>

namespace gpuopt_measure {

struct Time {
  double us = 0;     // 0: not measured
  double noise = 1;  // the median may be off by this share of it
};
// Is a less than b by more than both may be off?
bool beats(const Time &a, const Time &b);

// A call is short whose fastest kernel takes at most so long: what it takes more alone, some 2 us, is more than one percent.
constexpr double kLongestShortUs = 150;

// What short calls are compared by: the geometric mean of what one takes alone, on caches that hold nothing of it, and in a graph
// of its like. Of two kernels the one has less of it that wins more in the one mode than it loses in the other, so whoever has the
// least is far behind in neither. 0: one of them is not known.
double both_modes(double alone_us, double in_graph_us);
Time both_modes(const Time &alone, const Time &in_graph);

class Samples {
 public:
  void add(double us) { values_.push_back(us); }
  size_t count() const { return values_.size(); }
  double quantile(double q) const;
  // noise: half of the interval that holds the median 19 times of 20, whatever the distribution; of few samples 1, and never
  // less than kLeastNoise, for what all samples share - clocks, placement in memory - they do not show.
  Time time() const;
  static constexpr double kLeastNoise = 0.002;
  static constexpr size_t kFew = 6;  // with fewer no such interval exists

 private:
  std::vector<double> values_;
};

}  // namespace gpuopt_measure
