// Times of host code that a busy machine cannot spoil, and how much slower this machine is than the one that limits are for.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace gpuopt_bench {

struct times {  // microseconds a call, of bursts of calls
  double median, least;
};

template <class Function>
times measure_bursts(int bursts, int calls, Function &&call) {
  std::vector<double> us;
  for (int r = 0; r < bursts; ++r) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call(r * calls + i);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    us.push_back(spent.count() / calls);
  }
  std::sort(us.begin(), us.end());
  return {us[us.size() / 2], us.front()};
}

// Branches and loads like a selection's, of a code that no change of the library touches. Other numbers each time: the same
// ones would soon be predicted.
inline double sort_us() {
  std::vector<uint32_t> numbers(512);
  uint32_t x = 1;
  return measure_bursts(401, 1,
                        [&](int) {
                          for (uint32_t &n : numbers) n = x = x * 1664525u + 1013904223u;
                          std::sort(numbers.begin(), numbers.end());
                        })
      .least;
}

// At least 1, and at most what a machine may be slower: sorting takes 11 us where the limits are from. On an EPYC where it takes
// 20, a repeated problem takes 0.54 us and a new one among 200 kernels of plugins 16.3 (2026-11-29).
inline double how_much_slower() {
  constexpr double sort_there = 11, most = 4;
  return std::min(most, std::max(1.0, sort_us() / sort_there));
}

// Measures until what is measured is within its limits, for half a minute at the most: measure() says whether it is.
template <class Measure>
void measure_until(Measure &&measure) {
  for (int again = 0; !measure() && again < 30; ++again) std::this_thread::sleep_for(std::chrono::seconds(1));
}

}  // namespace gpuopt_bench
