#include "halves.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gpuopt_measure {

Half half_of(const std::vector<Judged> &judged, bool tuned_half, const std::string &op) {
  Half h;
  double logs = 0;
  for (const Judged &j : judged) {
    if (j.tuned_half != tuned_half || (!op.empty() && j.op != op) || !(j.ratio > 0)) continue;
    if (h.problems == 0 || j.ratio < h.least) {
      h.least = j.ratio;
      h.least_of = j.problem;
    }
    ++h.problems;
    h.by_entry += j.by_entry;
    logs += std::log(j.ratio);
  }
  if (h.problems > 0) h.mean = std::exp(logs / static_cast<double>(h.problems));
  return h;
}

std::vector<Number> numbers_of(const std::vector<Judged> &judged) {
  const Half other = half_of(judged, false), tuned = half_of(judged, true);
  std::vector<Number> all = {
      {"other half, untuned / automatic, geometric mean", other.mean, kOtherMean, "", other.problems > 0, false},
      {"other half, untuned / automatic, least", other.least, kOtherLeast, other.least_of, other.problems > 0, false},
      {"tuned half, best candidate / automatic, geometric mean", tuned.mean, kTunedMean, "", tuned.problems > 0, false},
      {"tuned half, best candidate / automatic, least", tuned.least, kTunedLeast, tuned.least_of, tuned.problems > 0,
       false}};
  for (Number &n : all) n.met = n.known && n.value >= n.bound;
  return all;
}

bool in_tuned_half(const std::string &problem) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);  // FNV-1a, its bits mixed, for the lowest ones of like texts are alike
  for (const char c : problem) hash = (hash ^ static_cast<unsigned char>(c)) * UINT64_C(0x100000001B3);
  hash ^= hash >> 33;
  hash *= UINT64_C(0xFF51AFD7ED558CCD);
  return (hash >> 63) != 0;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace gpuopt_measure
