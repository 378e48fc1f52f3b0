#include "times.h"

namespace gpuopt_measure {

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

}  // namespace gpuopt_measure
