#include "choose.h"

#include <cmath>

namespace gpuopt_measure {
namespace {

const Time *find(const Times &times, const std::string &kernel) {
  const auto found = times.find(kernel);
  return found == times.end() || found->second.us <= 0 ? nullptr : &found->second;
}

bool beats_in(const Times &times, const std::string &kernel, const std::string &standing) {
  const Time *const a = find(times, kernel), *const b = find(times, standing);
  return a && b && beats(*a, *b);
}

struct Gain {
  bool known = false;
  double mean = 0, noise = 0;  // of the logarithm of the kernel's times over the standing one's
};

Gain gain_of(const std::string &kernel, const std::string &standing, const std::vector<ProblemTimes> &problems,
             Times ProblemTimes::*round) {
  Gain gain;
  double squares = 0;
  for (const ProblemTimes &p : problems) {
    const Time *const a = find(p.*round, kernel), *const b = find(p.*round, standing);
    if (!a || !b) return gain;
    gain.mean += std::log(a->us / b->us);
    squares += a->noise * a->noise + b->noise * b->noise;
  }
  const double count = static_cast<double>(problems.size());
  gain.known = count > 0;
  gain.mean /= count;
  gain.noise = std::sqrt(squares) / count;
  return gain;
}

bool loses_nowhere(const std::string &kernel, const std::vector<ProblemTimes> &problems, Times ProblemTimes::*round) {
  for (const ProblemTimes &p : problems) {
    const Time *const a = find(p.*round, kernel), *const untuned = find(p.*round, p.untuned);
    if (!a || !untuned || a->us > untuned->us * (1 + kMostLoss)) return false;
  }
  return true;
}

}  // namespace

std::string fastest(const Times &times) {
  std::string best;
  double us = 0;
  for (const auto &t : times)
    if (t.second.us > 0 && (best.empty() || t.second.us < us)) {
      best = t.first;
      us = t.second.us;
    }
  return best;
}

std::string choose(const std::string &standing, const Times &first, const Times &second) {
  const std::string best = fastest(first);
  if (best.empty() || best == standing) return standing;
  // What cannot run, or is wrong, has no time and does not stand.
  if (!find(first, standing)) return best;
  return beats_in(first, best, standing) && beats_in(second, best, standing) ? best : standing;
}

std::string choose_for_class(const std::string &standing, const std::vector<ProblemTimes> &problems) {
  if (problems.empty()) return standing;
  std::string best = standing;
  double least = 0;
  for (const auto &candidate : problems.front().first) {
    if (candidate.first.empty()) continue;
    const Gain first = gain_of(candidate.first, standing, problems, &ProblemTimes::first),
               second = gain_of(candidate.first, standing, problems, &ProblemTimes::second);
    const bool wins = first.known && second.known && first.mean < -first.noise && second.mean < -second.noise;
    if (!wins || first.mean >= least || !loses_nowhere(candidate.first, problems, &ProblemTimes::first) ||
        !loses_nowhere(candidate.first, problems, &ProblemTimes::second))
      continue;
    least = first.mean;
    best = candidate.first;
  }
  return best;
}

}  // namespace gpuopt_measure
