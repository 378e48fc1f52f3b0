// What is said of times: how sure a median is, what became slower.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "regress.h"
#include "samples.h"
#include "times.h"

using namespace gpuopt_measure;

namespace {

Samples samples_of(std::initializer_list<double> values) {
  Samples s;
  for (const double v : values) s.add(v);
  return s;
}

}  // namespace

TEST_CASE("measure: of few samples nothing is known but the median") {
  CHECK(Samples().time().us == 0);
  CHECK(Samples().quantile(0.5) == 0);
  const Samples few = samples_of({3, 1, 2});
  CHECK(few.time().us == 2);
  CHECK(few.time().noise == 1);
  CHECK_FALSE(beats(few.time(), {100, 0.01}));
  CHECK_FALSE(beats({0, 0.01}, {100, 0.01}));  // not measured
}

TEST_CASE("measure: the interval of the median holds it 19 times of 20, whatever the distribution") {
  std::mt19937_64 bits(7);
  const auto coverage = [&](auto &distribution, double median, int count) {
    int held = 0;
    for (int run = 0; run < 1000; ++run) {
      Samples s;
      for (int i = 0; i < count; ++i) s.add(distribution(bits));
      const Time t = s.time();
      // Half the interval's length, for what lies to either side of the median is of one order.
      held += std::fabs(t.us - median) <= 2 * t.noise * t.us;
    }
    return held;
  };
  std::normal_distribution<double> normal(100, 5);
  std::exponential_distribution<double> skewed(0.01);
  for (const int count : {6, 12, 50, 200}) {
    CHECK(coverage(normal, 100, count) >= 950);
    CHECK(coverage(skewed, 100 * std::log(2.0), count) >= 940);
  }
  // It shrinks with the root of their number.
  Samples few, many;
  for (int i = 0; i < 25; ++i) few.add(normal(bits));
  for (int i = 0; i < 2500; ++i) many.add(normal(bits));
  CHECK(many.time().noise < 0.25 * few.time().noise);
  const Samples same = samples_of({5, 5, 5, 5, 5, 5, 5, 5});
  CHECK(same.time().noise == Samples::kLeastNoise);
}

TEST_CASE("measure: a short call counts by both modes, and by neither where one is not known") {
  CHECK(both_modes(9, 4) == doctest::Approx(6));
  CHECK(both_modes(0, 4) == 0);
  CHECK(both_modes(9, 0) == 0);
  const Time t = both_modes({9, 0.02}, {4, 0.01});
  CHECK(t.us == doctest::Approx(6));
  CHECK(t.noise == doctest::Approx(0.015));
  CHECK(both_modes({0, 1}, {4, 0.01}).us == 0);
  CHECK(both_modes({0, 1}, {4, 0.01}).noise == 1);
}

TEST_CASE("measure: the fastest is of those that were measured") {
  CHECK(fastest({{"old", {100, 0.01}}, {"new", {90, 0.01}}, {"gone", {0, 1}}}) == "new");
  CHECK(fastest({}) == "");
}

TEST_CASE("measure: slower is what takes longer by more than 2 % and the noise of both") {
  const std::vector<Row> before = {{"cpu", "p", "k", {100, 0.01}}, {"cpu", "q", "k", {100, 0.01}},
                                   {"cpu", "r", "k", {100, 0.05}}, {"cpu", "t", "k", {100, 0.001}},
                                   {"gpu", "p", "k", {10, 0.01}},  {"cpu", "s", "k", {0, 1}}};
  const std::vector<Change> all = changes(before, {{"cpu", "p", "k", {110, 0.01}},
                                                   {"cpu", "q", "k", {90, 0.01}},
                                                   {"cpu", "r", "k", {108, 0.05}},
                                                   {"cpu", "t", "k", {102, 0.001}},
                                                   {"cpu", "p", "other", {500, 0.01}},
                                                   {"cpu", "s", "k", {500, 0.01}},
                                                   {"cpu", "q", "k", {0, 1}}});
  REQUIRE(all.size() == 4);
  CHECK((all[0].slower && !all[0].faster));
  CHECK(all[0].ratio == doctest::Approx(1.1));
  CHECK((all[1].faster && !all[1].slower));
  CHECK((!all[2].slower && !all[2].faster));
  CHECK((!all[3].slower && !all[3].faster));
}

TEST_CASE("measure: of too few samples, before or now, it is said that nothing is known") {
  const Samples few = samples_of({5, 5, 5}), enough = samples_of({5, 5, 5, 5, 5, 5});
  const std::vector<Change> all = changes({{"cpu", "p", "k", {0.001, 0.01}}, {"cpu", "q", "k", few.time()}},
                                          {{"cpu", "p", "k", few.time()}, {"cpu", "q", "k", {0.001, 0.01}}});
  REQUIRE(all.size() == 2);
  for (const Change &c : all) CHECK((!c.known && !c.slower && !c.faster));
  CHECK(changes({{"cpu", "p", "k", {5, 0.01}}}, {{"cpu", "p", "k", enough.time()}})[0].known);
}
