#include "choose.h"

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

}  // namespace gpuopt_measure
