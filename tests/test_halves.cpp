// What tuning has won, and a GPU's clocks while something is measured.
#include "clocks.h"
#include "halves.h"
#include "support.h"

#include <chrono>
#include <cmath>
#include <thread>

using namespace gpuopt_measure;
using gpuopt_test::contains;

namespace {

Judged judged(const char *op, const char *problem, bool tuned_half, double ratio) {
  return {op, problem, tuned_half, true, ratio};
}

}  // namespace

TEST_CASE("halves: geometric mean and least of each half, of an op and of all") {
  const std::vector<Judged> all = {judged("gemm", "a", false, 2), judged("gemm", "b", false, 0.5),
                                   judged("norm", "c", false, 4), judged("norm", "d", true, 0.9)};
  CHECK(half_of(all, false).mean == doctest::Approx(std::cbrt(4.0)));
  CHECK(half_of(all, false).least == 0.5);
  CHECK(half_of(all, false).least_of == "b");
  CHECK(half_of(all, false, "gemm").problems == 2);
  CHECK(half_of(all, false, "gemm").mean == doctest::Approx(1));
  CHECK(half_of(all, true, "norm").least == 0.9);
  CHECK(half_of(all, true, "gemm").problems == 0);
}

TEST_CASE("halves: numbers are met at their bounds, short below them, and unknown without problems") {
  const auto met = [](const std::vector<Judged> &all) {
    std::string text;
    for (const Number &n : numbers_of(all)) text += !n.known ? '-' : n.met ? 'm' : 's';
    return text;
  };
  CHECK(met({}) == "----");
  CHECK(met({judged("gemm", "a", false, 1.01)}) == "mm--");
  CHECK(met({judged("gemm", "a", false, 1.0), judged("gemm", "b", false, 1.019)}) == "sm--");
  CHECK(met({judged("gemm", "a", false, 1.2), judged("gemm", "b", false, 0.969)}) == "ms--");
  CHECK(met({judged("gemm", "a", true, 1.0), judged("gemm", "b", true, 0.989)}) == "--ms");
  CHECK(numbers_of({judged("gemm", "a", true, 0.5)})[3].of == "a");
}

TEST_CASE("halves: a problem's half hangs on its text alone, and either has about as many") {
  int tuned = 0;
  for (int i = 0; i < 1000; ++i) tuned += in_tuned_half("gemm a=" + std::to_string(i) + "x64:f32");
  CHECK(tuned > 440);
  CHECK(tuned < 560);
  CHECK(in_tuned_half("gemm a=1x64:f32") == in_tuned_half("gemm a=1x64:f32"));
}

TEST_CASE("halves: the median of measurements") {
  CHECK(median({}) == 0);
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
}

TEST_CASE("clocks: a watch sees the lowest and the highest, and every reason that held them back") {
  std::atomic<int> looks{0};
  ClockWatch watch([&looks] {
    const int i = looks++;
    Clocks c;
    c.sm_mhz = i == 1 ? 1200 : 1980;
    c.watts = i == 1 ? 700 : 90;
    c.held_back = i == 1 ? 0x4 : 0x1;
    return c;
  });
  while (looks < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const ClockWatch::Seen seen = watch.stop();
  CHECK(seen.least_sm_mhz == 1200);
  CHECK(seen.most_sm_mhz == 1980);
  CHECK(seen.watts == 700);
  CHECK(held_back_text(seen.held_back) == "power cap");
  const int before = looks;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(looks == before);
}

TEST_CASE("clocks: a machine that does not tell is looked at once") {
  int looks = 0;
  ClockWatch watch([&looks] {
    ++looks;
    return Clocks();
  });
  CHECK(watch.stop().most_sm_mhz == 0);
  CHECK(looks == 1);
  CHECK(held_back_text(0x1).empty());
  CHECK(held_back_text(0x20 | 0x4) == "power cap, heat");
  CHECK(read_clocks("no such bus").sm_mhz == 0);
}
