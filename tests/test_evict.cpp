// Host memory that is taken out of the caches.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "evict.h"

namespace {

struct alignas(64) Line {
  uint32_t next = 0;
};

// Each line names the next one, in no order that a prefetcher could guess: a ring over all of them.
std::vector<Line> ring(size_t count) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  std::vector<Line> lines(count);
  for (size_t i = 0; i < count; ++i) lines[order[i]].next = order[(i + 1) % count];
  return lines;
}

double us_around(const std::vector<Line> &lines) {
  const auto start = std::chrono::steady_clock::now();
  volatile uint32_t at = 0;
  for (size_t i = 0; i < lines.size(); ++i) at = lines[at].next;
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("evict: what was taken out of the caches is read from memory, and holds what it held") {
  const std::vector<Line> lines = ring(2048);
  const auto bytes = lines.size() * sizeof(Line);
  if (!gpuopt_measure::evict(lines.data(), bytes)) {
    MESSAGE("this processor has no instruction for it");
    return;
  }
  double cached = 1e9, evicted = 1e9;  // the least of some: other work only makes them longer
  for (int i = 0; i < 30; ++i) {
    us_around(lines);
    cached = std::min(cached, us_around(lines));
    gpuopt_measure::evict(lines.data(), bytes);
    evicted = std::min(evicted, us_around(lines));
  }
  CAPTURE(cached);
  CAPTURE(evicted);
  CHECK(evicted > 2 * cached);
  std::vector<bool> seen(lines.size());
  for (uint32_t i = 0, at = 0; i < lines.size(); ++i, at = lines[at].next) seen[at] = true;
  CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
}
