// Which of some candidates takes the least time, where clocks, heat and power drift by more than the candidates differ: all take
// turns in rounds, and what is compared are times of one round. Who is behind drops out as soon as that is known, so that rounds
// are spent on those that are hard to tell apart.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "samples.h"

namespace gpuopt_measure {

using Sampler = std::function<double(size_t candidate)>;  // microseconds; 0: it failed, and drops out

class Race {
 public:
  // standing: the candidate that wins unless another beats it.
  Race(size_t candidates, size_t standing);

  // Until the winner is known, or no more rounds are worth it, or time is up. spent: the share of the time there is that is spent;
  // of fewer than kDecides rounds little can be said, so these are taken unless they take far too long; one always is.
  void run(const Sampler &sample, const std::function<double()> &spent);

  // The candidate with the least ratio to the standing one of those that beat it: in each half of the rounds by more than that
  // half's ratios may be off; of fewer than kDecides rounds in each of them, kFewest or more, by far. Where the standing one
  // failed, who takes the least time.
  size_t winner() const;
  // The median of the candidate's time over the standing one's of the same round, and how far it may be off; us 0: not known.
  Time ratio(size_t candidate) const;
  Time time(size_t candidate)
      const;  // that ratio times the standing one's median; of samples of its own where that one failed
  bool failed(size_t candidate) const { return failed_[candidate] != 0; }
  size_t rounds() const { return rounds_; }
  size_t samples(size_t candidate) const { return us_[candidate].size(); }

  static constexpr size_t kLooks =
      Samples::kFew;  // after so many rounds, and twice as many, and so on, who is behind drops out
  static constexpr size_t kDecides = 2 * kLooks;  // the fewest rounds that can decide
  static constexpr size_t kMostRounds = 16 * kLooks;
  static constexpr size_t kFewest = 3;
  static constexpr double kKnown = 0.003, kFarTooLong = 10, kByFar = 1.5;

 private:
  Samples ratios(size_t candidate, size_t other, size_t from, size_t to) const;
  bool beats_standing(size_t candidate) const;
  bool beats_standing_by_far(size_t candidate) const;
  size_t leader() const;
  void drop_those_behind();
  bool known() const;
  std::vector<size_t> challengers() const;

  size_t standing_, rounds_ = 0;
  std::vector<std::vector<double>> us_;  // by candidate, of each round that it was in: the first ones
  std::vector<char> in_, failed_;
};

}  // namespace gpuopt_measure
