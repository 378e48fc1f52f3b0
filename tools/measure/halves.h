// What tuning wins: problems of which one half was tuned, judged by what an automatic call runs with the table that came of it.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace gpuopt_measure {

struct Judged {
  std::string op, problem;
  bool tuned_half = false, by_entry = false;  // by_entry: an entry of the table decided
  // Of the tuned half the best candidate's time over the automatic call's, of the other the untuned call's: above 1 it is less.
  double ratio = 1;
};

struct Half {
  size_t problems = 0, by_entry = 0;
  double mean = 1, least = 1;  // geometric mean
  std::string least_of;        // the problem
};
// op: "" for all.
Half half_of(const std::vector<Judged> &judged, bool tuned_half, const std::string &op = "");

// Bounds of the two halves' means and of the least of each.
constexpr double kOtherMean = 1.01, kOtherLeast = 0.97, kTunedMean = 0.99, kTunedLeast = 0.99;

struct Number {
  std::string what;
  double value = 0, bound = 0;
  std::string of;  // of a least one: the problem
  bool known = false, met = false;
};
// The four numbers. Of a half without problems nothing is known.
std::vector<Number> numbers_of(const std::vector<Judged> &judged);

// Which half a problem lies in, by its text alone: true: the tuned one.
bool in_tuned_half(const std::string &problem);

double median(std::vector<double> values);

}  // namespace gpuopt_measure
