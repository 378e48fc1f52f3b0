#include "gpuopt_roofline/cpu_rates.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

namespace gpuopt_roofline {
namespace {

constexpr size_t kLeastBytes = size_t{128} << 20;
constexpr int64_t kRounds = 1 << 16;
constexpr int kSums = 12;  // independent, so that latency is hidden: 4 to 5 clocks times 2 units

// Of all threads together, so that source and destination are twice the last cache.
size_t bytes_past_cache() {
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return std::max(kLeastBytes, cache > 0 ? static_cast<size_t>(cache) : 0);
}

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What work(thread) does in a second on all threads at once: the best of rounds that take `seconds` together.
double best_rate(int threads, double seconds, double work, const std::function<void(int)> &of_thread) {
  double best = 0;
  const Clock::time_point start = Clock::now();
  for (int round = 0; round < 3 || since(start) < seconds; ++round) {
    std::atomic<int> waiting{threads};
    std::vector<double> took(static_cast<size_t>(threads));
    std::vector<std::thread> team;
    for (int t = 0; t < threads; ++t)
      team.emplace_back([&, t] {
        --waiting;
        while (waiting > 0) std::this_thread::yield();
        const Clock::time_point begin = Clock::now();
        of_thread(t);
        took[static_cast<size_t>(t)] = since(begin);
      });
    for (std::thread &t : team) t.join();
    best = std::max(best, work / *std::max_element(took.begin(), took.end()));
  }
  return best;
}

// Vectors of kWidth bytes; the sums stay in registers, and what they come to is looked at.
template <class T, int kWidth>
__attribute__((always_inline)) inline double multiply_add(T x, T y) {
  typedef T Vector __attribute__((vector_size(kWidth)));
  Vector sums[kSums];
  for (int s = 0; s < kSums; ++s) sums[s] = Vector{} + T(s);
  const Vector factor = Vector{} + x, term = Vector{} + y;
  for (int64_t r = 0; r < kRounds; ++r)
    for (int s = 0; s < kSums; ++s) sums[s] = sums[s] * factor + term;
  double all = 0;
  for (int s = 0; s < kSums; ++s)
    for (size_t i = 0; i < kWidth / sizeof(T); ++i) all += double(sums[s][i]);
  return all;
}

template <class T>
struct Unit {
  double (*run)(T, T);
  int width;
  const char *name;
};

#if defined(__x86_64__)
template <class T>
__attribute__((target("avx512f"))) double by_avx512(T x, T y) {
  return multiply_add<T, 64>(x, y);
}
template <class T>
__attribute__((target("avx2,fma"))) double by_avx2(T x, T y) {
  return multiply_add<T, 32>(x, y);
}
#endif
template <class T>
double by_baseline(T x, T y) {
  return multiply_add<T, 16>(x, y);
}

template <class T>
Unit<T> widest_unit() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {by_avx512<T>, 64, "vectors of 64 bytes"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {by_avx2<T>, 32, "vectors of 32 bytes"};
#endif
  return {by_baseline<T>, 16, "vectors of 16 bytes"};
}

template <class T>
Ceiling fma_ceiling(const char *name, int threads, double seconds) {
  const Unit<T> unit = widest_unit<T>();
  const double flops = 2.0 * kRounds * kSums * (unit.width / double(sizeof(T))) * threads;
  std::atomic<int> odd{0};
  const double rate = best_rate(threads, seconds, flops, [&](int) {
    if (unit.run(T(0.5), T(0.25)) == -1) ++odd;
  });
  return {name, true, rate * 1e-9, std::string(unit.name) + ", " + std::to_string(threads) + " threads"};
}

}  // namespace

std::vector<Ceiling> measure_cpu(int threads, double seconds) {
  threads = std::max(threads, 1);
  const size_t words = bytes_past_cache() / 8 / static_cast<size_t>(threads) / 8 * 8;
  std::vector<std::vector<uint64_t>> from(static_cast<size_t>(threads)), to(static_cast<size_t>(threads));
  for (size_t t = 0; t < from.size(); ++t) {
    from[t].assign(words, t + 1);
    to[t].assign(words, 0);
  }
  const std::string by = std::to_string(threads) + " threads";
  const double bytes = double(words) * 8 * threads;
  std::vector<Ceiling> all;
  all.push_back({"copy", false,
                 1e-9 * best_rate(threads, seconds, 2 * bytes,
                                  [&](int t) {
                                    const auto i = static_cast<size_t>(t);
                                    std::memcpy(to[i].data(), from[i].data(), words * 8);
                                  }),
                 "memcpy, " + by});
  std::atomic<uint64_t> odd{0};
  all.push_back({"read", false,
                 1e-9 * best_rate(threads, seconds, bytes,
                                  [&](int t) {
                                    uint64_t bits[8] = {};
                                    const uint64_t *word = from[static_cast<size_t>(t)].data();
                                    for (size_t i = 0; i < words; i += 8)
                                      for (size_t k = 0; k < 8; ++k) bits[k] ^= word[i + k];
                                    for (const uint64_t b : bits) odd += b;
                                  }),
                 "a sum of words, " + by});
  all.push_back(fma_ceiling<float>("fp32 FMA", threads, seconds));
  all.push_back(fma_ceiling<double>("fp64 FMA", threads, seconds));
  return all;
}

}  // namespace gpuopt_roofline
