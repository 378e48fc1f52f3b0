// Which operand set a call uses, and whether L2 has lost it by the time it is used again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace gpuopt_bench {

// Each in turn, whoever calls, so that one comes again only after all others: one that an untimed call has used lies in the
// cache as one does that a sample has used.
class SetRotation {
 public:
  explicit SetRotation(int sets) : sets_(sets > 0 ? sets : 1) {}
  int next() {
    const int set = next_;
    next_ = (next_ + 1) % sets_;
    return set;
  }

 private:
  int sets_, next_ = 0;
};

// How many sets of this many bytes rotate past twice the L2 cache: at least 2, and at most kMaxSets, where the timer
// clears the cache between samples instead.
constexpr int kMaxSets = 256;
inline int sets_past_l2(int64_t l2_bytes, int64_t bytes_per_set) {
  return static_cast<int>(std::clamp<int64_t>(2 * l2_bytes / std::max<int64_t>(bytes_per_set, 1) + 1, 2, kMaxSets));
}

// Must L2 be cleared before work that begins with set 0, which the work before it, each of so many calls on sets in turn, has
// used too? Of the shortest the least is used before set 0 comes again, whoever comes next.
inline bool needs_clearing(int64_t l2_bytes, int64_t bytes_per_set, int sets, const std::vector<int> &calls) {
  int used = sets;
  for (const int count : calls) used = std::min(used, count);
  return used * bytes_per_set < 2 * l2_bytes;
}

// Calls of a graph whose node i uses set i % sets: enough for 0.3 ms. Every replay begins with set 0, so that a graph which
// comes round ends with the last set, or set 0 would come again before the others have.
inline int calls_in_graph(double call_us, int least, int sets) {
  constexpr double kMost = 256;
  const int calls = static_cast<int>(std::clamp(std::ceil(300.0 / std::max(call_us, 0.5)), double(least), kMost));
  if (calls <= sets) return calls;
  return (2 * calls + sets) / (2 * sets) * sets;
}

}  // namespace gpuopt_bench
