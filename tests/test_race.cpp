// Who wins a race where times drift by more than the candidates differ.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <set>

#include "race.h"
#include "turns.h"

using namespace gpuopt_measure;

namespace {

// A device whose clocks fall from sample to sample, with noise, and a power-hungry candidate that slows down whoever is next.
class Device {
 public:
  Device(std::vector<double> us, uint64_t seed, double noise = 0.01, double drift = 0.05)
      : us_(std::move(us)), bits_(seed), noise_(noise), drift_(drift) {}

  double operator()(size_t i) {
    ++samples_;
    const double clocks = 1 + drift_ * (1 - std::exp(-static_cast<double>(samples_) / 100));
    const double heat = last_ == hungry ? 1.01 : 1;
    last_ = i;
    return us_[i] > 0 ? us_[i] * clocks * heat * std::exp(noise_ * normal_(bits_)) : 0;
  }
  size_t samples() const { return samples_; }
  size_t hungry = SIZE_MAX;

 private:
  std::vector<double> us_;
  std::mt19937_64 bits_;
  std::normal_distribution<double> normal_;
  double noise_, drift_;
  size_t samples_ = 0, last_ = SIZE_MAX;
};

Race raced(Device *device, size_t candidates, size_t standing) {
  Race race(candidates, standing);
  race.run([device](size_t i) { return (*device)(i); }, [] { return 0.0; });
  return race;
}

}  // namespace

TEST_CASE("race: turns are all there each round, the same for the same round, and neighbours change") {
  std::set<std::pair<size_t, size_t>> neighbours;
  for (uint64_t round = 0; round < 30; ++round) {
    const std::vector<size_t> order = turns_of_round(4, round);
    CHECK(order == turns_of_round(4, round));
    CHECK(std::set<size_t>(order.begin(), order.end()).size() == 4);
    for (size_t k = 1; k < order.size(); ++k) neighbours.insert({order[k - 1], order[k]});
  }
  CHECK(neighbours.size() == 12);
  CHECK(turns_of_round(0, 1).empty());
}

TEST_CASE("race: of candidates 1.5 % apart the best wins, though clocks drift by 5 %") {
  int best = 0, runs = 0;
  for (const size_t fastest : {0, 1, 2, 3})
    for (uint64_t seed = 0; seed < 25; ++seed, ++runs) {
      std::vector<double> us = {101.5, 103, 104.5, 106};
      std::swap(us[0], us[fastest]);
      Device device(us, seed);
      device.hungry = seed % 4;
      const size_t standing = (fastest + 1 + seed % 3) % 4;
      const Race race = raced(&device, 4, standing);
      best += race.winner() == fastest;
      // Never one that is slower than who stands.
      CHECK(us[race.winner()] <= us[standing]);
      CHECK(race.ratio(fastest).us == doctest::Approx(us[fastest] / us[standing]).epsilon(0.01));
    }
  CHECK(best >= runs - 2);
}

TEST_CASE("race: even 1 % is enough, where rounds tell it from noise") {
  int best = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Device device({100, 99}, seed, 0.005);
    best += raced(&device, 2, 0).winner() == 1;
  }
  CHECK(best >= 45);
}

TEST_CASE("race: who is no better than the standing one does not replace it") {
  int replaced = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Device device({100, 100, 100}, seed, 0.02);
    replaced += raced(&device, 3, seed % 3).winner() != seed % 3;
  }
  CHECK(replaced <= 4);
  Device same({100, 100, 100}, 1, 0, 0);
  CHECK(raced(&same, 3, 1).winner() == 1);
}

TEST_CASE("race: who is far behind costs few samples, and who wins by far ends it early") {
  Device device({100, 80, 150, 160, 170}, 3);
  const Race race = raced(&device, 5, 0);
  CHECK(race.winner() == 1);
  CHECK(race.rounds() == Race::kDecides);
  for (const size_t slow : {2, 3, 4}) CHECK(race.samples(slow) == Race::kLooks);
  // Of many that are alike, half go on each time.
  Device alike(std::vector<double>(16, 100), 4);
  CHECK(raced(&alike, 16, 0).rounds() <= Race::kMostRounds);
  CHECK(alike.samples() < 16 * Race::kMostRounds / 2);
}

TEST_CASE("race: time that is up ends it, with what is known by then") {
  Device device({100, 90}, 5);
  Race race(2, 0);
  race.run([&](size_t i) { return device(i); }, [] { return 2.0; });
  CHECK(race.rounds() == Race::kDecides);  // fewer would say nothing
  CHECK(race.winner() == 1);
  Race far_too_long(2, 0);
  far_too_long.run([&](size_t i) { return device(i); }, [&] { return far_too_long.rounds() < 3 ? 0.0 : 11.0; });
  CHECK(far_too_long.rounds() == 3);
  CHECK(far_too_long.winner() == 0);
}

TEST_CASE("race: time that is up after a few rounds replaces who stands only where it is behind by far in each") {
  const auto winner_of = [](std::vector<double> us, size_t rounds) {
    Device device(std::move(us), 11);
    Race race(3, 0);
    race.run([&](size_t i) { return device(i); }, [&] { return race.rounds() < rounds ? 0.0 : 11.0; });
    CHECK(race.rounds() == rounds);
    return race.winner();
  };
  CHECK(winner_of({5000, 110, 100}, 5) == 2);
  CHECK(winner_of({5000, 110, 100}, Race::kLooks) == 2);
  CHECK(winner_of({5000, 110, 100}, Race::kDecides - 1) == 2);
  CHECK(winner_of({130, 110, 100}, 5) == 0);
  CHECK(winner_of({5000, 110, 100}, Race::kFewest - 1) == 0);
}

TEST_CASE("race: a round is taken even where no time was left for one, and who did not fail in it has a time") {
  Device device({100, 0, 90}, 12);
  Race race(3, 0);
  race.run([&](size_t i) { return device(i); }, [] { return 1e9; });
  CHECK(race.rounds() == 1);
  CHECK_FALSE(race.failed(0));
  CHECK(race.failed(1));
  CHECK_FALSE(race.failed(2));
  CHECK(race.time(0).us > 0);
  CHECK(race.time(2).us > 0);
  CHECK(race.winner() == 0);
}

TEST_CASE(
    "race: by both modes, who wins a little in each goes before who wins much in one and loses more in the other") {
  // Alone and in a graph, as small products take: the third is the fastest in graphs, the second the fastest alone.
  const std::vector<double> alone = {5.4, 5.1, 5.9, 5.3}, in_graph = {2.45, 2.7, 2.3, 2.32};
  int best = 0, by_graphs = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Device single(alone, seed), graph(in_graph, seed + 100);
    Race both(4, 0);
    both.run([&](size_t i) { return both_modes(single(i), graph(i)); }, [] { return 0.0; });
    best += both.winner() == 3;
    // Far behind in neither mode.
    CHECK(alone[both.winner()] <= 1.08 * 5.1);
    CHECK(in_graph[both.winner()] <= 1.08 * 2.3);
    by_graphs += raced(&graph, 4, 0).winner() == 2;
  }
  CHECK(best >= 38);
  CHECK(by_graphs > 10);  // which is a tenth behind alone
}

TEST_CASE("race: who fails drops out, and does not stand") {
  Device device({100, 0, 90}, 6);
  const Race race = raced(&device, 3, 0);
  CHECK(race.winner() == 2);
  CHECK(race.time(1).us == 0);
  CHECK(race.ratio(1).us == 0);
  Device fallen({0, 95, 90}, 7);
  CHECK(raced(&fallen, 3, 0).winner() == 2);
  Device alone({0, 95}, 8);
  CHECK(raced(&alone, 2, 0).winner() == 1);
  Device none({0, 0}, 9);
  CHECK(raced(&none, 2, 0).winner() == 0);
  CHECK(Race(1, 0).winner() == 0);
}

TEST_CASE("race: times are those of the standing one, by the ratios") {
  Device device({100, 90, 97}, 10, 0.01, 0.2);
  const Race race = raced(&device, 3, 0);
  CHECK(race.time(1).us / race.time(0).us == doctest::Approx(0.9).epsilon(0.01));
  CHECK(race.time(2).us / race.time(0).us == doctest::Approx(0.97).epsilon(0.01));
  CHECK(race.ratio(0).us == 1);
  CHECK(race.time(0).us >= 100);
}
