#include "nearest.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace gpuopt_cli {

size_t letters_apart(const std::string &one, const std::string &other) {
  const size_t width = other.size() + 1;
  std::vector<size_t> table((one.size() + 1) * width);
  const auto at = [&](size_t i, size_t j) -> size_t & { return table[i * width + j]; };
  for (size_t i = 0; i <= one.size(); ++i)
    for (size_t j = 0; j <= other.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const size_t changed = at(i - 1, j - 1) + (one[i - 1] == other[j - 1] ? 0 : 1);
      at(i, j) = std::min({changed, at(i - 1, j) + 1, at(i, j - 1) + 1});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  return at(one.size(), other.size());
}

std::string nearest_word(const std::string &word, const std::vector<std::string> &words) {
  std::pair<size_t, std::string> best(SIZE_MAX, "");
  for (const std::string &w : words) best = std::min(best, {letters_apart(word, w), w});
  return best.second;
}

}  // namespace gpuopt_cli
