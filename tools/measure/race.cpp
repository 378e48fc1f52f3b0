#include "race.h"

#include <algorithm>

#include "turns.h"

namespace gpuopt_measure {

Race::Race(size_t candidates, size_t standing)
    : standing_(standing), us_(candidates), in_(candidates, 1), failed_(candidates, 0) {}

void Race::run(const Sampler &sample, const std::function<double()> &spent) {
  for (size_t next_look = kLooks; rounds_ < kMostRounds;) {
    const double share = spent();
    if ((share > kFarTooLong && rounds_ > 0) || (share > 1 && rounds_ >= kDecides)) return;
    for (const size_t i : turns_of_round(us_.size(), rounds_)) {
      if (!in_[i]) continue;
      const double us = sample(i);
      if (us > 0) us_[i].push_back(us);
      failed_[i] = us <= 0;
      in_[i] = us > 0;
    }
    if (++rounds_ < next_look) continue;
    next_look *= 2;
    drop_those_behind();
    if (known()) return;
  }
}

Samples Race::ratios(size_t candidate, size_t other, size_t from, size_t to) const {
  Samples s;
  for (size_t r = from; r < to; ++r) s.add(us_[candidate][r] / us_[other][r]);
  return s;
}

Time Race::ratio(size_t candidate) const {
  if (failed_[candidate] || failed_[standing_]) return {};
  return ratios(candidate, standing_, 0, us_[candidate].size()).time();
}

Time Race::time(size_t candidate) const {
  if (failed_[candidate]) return {};
  Samples own;
  for (const double us : us_[failed_[standing_] ? candidate : standing_]) own.add(us);
  Time t = own.time();
  if (failed_[standing_] || candidate == standing_) return t;
  const Time r = ratio(candidate);
  return {t.us * r.us, std::max(t.noise, r.noise)};
}

bool Race::beats_standing(size_t candidate) const {
  if (candidate == standing_ || failed_[candidate] || failed_[standing_]) return false;
  const size_t count = us_[candidate].size(), half = count / 2;
  if (count < kDecides) return beats_standing_by_far(candidate);
  for (const auto &part : {std::pair{size_t{0}, half}, std::pair{half, count}})
    if (!beats(ratios(candidate, standing_, part.first, part.second).time(), {1, 0})) return false;
  return true;
}

// Of so few rounds, as there are where they take far too long, no half tells how far its ratios may be off.
bool Race::beats_standing_by_far(size_t candidate) const {
  const size_t count = us_[candidate].size();
  if (count < kFewest) return false;
  for (size_t r = 0; r < count; ++r)
    if (us_[standing_][r] < kByFar * us_[candidate][r]) return false;
  return true;
}

size_t Race::winner() const {
  size_t best = standing_;
  for (size_t i = 0; i < us_.size(); ++i) {
    if (!in_[i] || !(failed_[standing_] || beats_standing(i))) continue;
    if (failed_[best] || time(i).us < time(best).us) best = i;
  }
  return best;
}

std::vector<size_t> Race::challengers() const {
  std::vector<size_t> all;
  for (size_t i = 0; i < us_.size(); ++i)
    if (in_[i] && i != standing_) all.push_back(i);
  return all;
}

// Of those that are in.
size_t Race::leader() const {
  size_t best = us_.size();
  for (size_t i = 0; i < us_.size(); ++i)
    if (in_[i] && (best == us_.size() || time(i).us < time(best).us)) best = i;
  return best;
}

void Race::drop_those_behind() {
  const size_t first = leader();
  if (first == us_.size()) return;
  std::vector<size_t> others = challengers();
  // The standing one stays, for all are compared with it.
  for (const size_t i : others)
    if (i != first && beats({1, 0}, ratios(i, first, 0, rounds_).time())) in_[i] = 0;
  if (rounds_ < kDecides) return;
  // Of those that cannot be told apart the better half goes on, for what is lost with the others is little.
  others = challengers();
  std::sort(others.begin(), others.end(), [this](size_t a, size_t b) { return time(a).us < time(b).us; });
  for (size_t k = std::max<size_t>(2, (others.size() + 1) / 2); k < others.size(); ++k) in_[others[k]] = 0;
}

bool Race::known() const {
  const std::vector<size_t> left = challengers();
  if (left.size() <= (failed_[standing_] ? size_t{1} : 0)) return true;
  if (left.size() > 1 || rounds_ < kDecides) return false;
  return beats_standing(left[0]) || ratio(left[0]).noise <= kKnown;
}

}  // namespace gpuopt_measure
