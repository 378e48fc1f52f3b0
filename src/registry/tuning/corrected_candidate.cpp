// What measurements of like problems say of a problem that was not measured. Each time is set beside what its kernel predicts for
// the problem that it was taken of, and the logarithm of the two is how far that prediction is off. By how much more than the
// least predicted kernel's it is off, on the nearest problems where both were measured, is carried over: the mean, each problem
// with the weight exp(-distance^2 / kReach2), and beside them kPrior of no difference at all. So a choice stays as it is where
// nothing like it was measured, and a refit of predictions leaves times what they are.
//
// Another kernel runs only if it is expected to take less time by more than kLeastGain and the mean's own uncertainty - the scatter,
// and the prior's where problems are few -, and if it took as much less time, in the same mean, where it was measured: a prediction
// that is too bad near a problem need not be so for it. The constants are the boldest that took no problem longer by 3 % on the
// half of `gpuopt tune suite --seed 1` that was not measured.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "text.h"
#include "tuning/measured.h"
#include "tuning/tuned_candidate.h"

namespace gpuopt {
namespace {

constexpr float kReach2 = 1;              // a problem with one extent twice as large has the weight 0.37
constexpr float kFarthest2 = 0.5f;        // one extent 1.6 times as large
constexpr double kPrior = 0.1;            // in problems at no distance
constexpr double kPredictionError = 0.3;  // of a prediction beyond another's, where nothing is known; in logarithms
constexpr double kLeastGain = 0.02, kUncertainty = 4;  // in logarithms; in standard deviations
constexpr float kHopeless = 1.5f;                      // times the best where it was measured: no candidate here
constexpr size_t kMostKernels = 32;                    // of which the nearest problems have times

// Of a kernel beside the least predicted one: how far off the one's prediction is beyond the other's, in logarithms.
struct Correction {
  const gpuopt_kernel *kernel, *second;
  const char *algorithm;  // interned, or nullptr
  double weight, sum, squares;
  double less;  // the sum of the logarithms of the one's times over the other's
  double mean() const { return sum / (weight + kPrior); }
  double gain_there() const { return less / (weight + kPrior); }
  double error() const {
    const double all = weight + kPrior, m = mean();
    const double scatter = (squares + kPrior * kPredictionError * kPredictionError) / all - m * m * weight / all;
    return std::sqrt(std::fmax(scatter, 0) * kPrior / all);
  }
};

// The problem that times were taken of, made when a kernel is to predict it.
struct Like {
  std::optional<gpuopt_problem> problem;
  TwoStep two;
  TwoStep *steps = nullptr;
  void make(const NearMeasured &near, const gpuopt_problem &p) {
    if (problem) return;
    problem = problem_of_key(near.table->key(*near.measured), p);
    if (split_gemm(*problem, &two)) steps = &two;
  }
};

class Corrections {
 public:
  Corrections(const gpuopt_problem &p, const Candidate &untuned, const Rules &rules, const Snapshot &kernels)
      : p_(p), untuned_(untuned), rules_(rules), kernels_(kernels) {}

  void add(const NearMeasured &near) {
    const TuneTable::Time *const times = &near.table->times()[near.measured->first_time];
    const uint32_t count = near.measured->times;
    TunedKernels named[TuneLine::kMostTimes];
    Like like;
    // Against the untuned kernel's own choice, so that what both predictions are off by is not counted.
    float least = 0;
    double standing = 0, standing_us = 0;
    bool known = false;
    for (uint32_t i = 0; i < count; ++i) {
      const TuneTarget &target = near.table->targets()[times[i].target];
      named[i] = resolve(target, kernels_);
      if (named[i].fault != TargetFault::none) continue;
      if (least == 0 || times[i].us < least) least = times[i].us;
      if (!known && named[i].kernel == untuned_.kernel && named[i].second == untuned_.second &&
          target.algorithm.empty()) {
        known = off(near, i, named[i], &like, &standing);
        standing_us = times[i].us;
      }
    }
    for (uint32_t i = 0; i < count && known; ++i) {
      double other = 0;
      if (named[i].fault != TargetFault::none || times[i].us > kHopeless * least) continue;
      if (off(near, i, named[i], &like, &other))
        add(named[i], near.table->targets()[times[i].target], near.distance2, other - standing,
            std::log(standing_us / times[i].us));
    }
    counted_ += known;
  }
  int counted() const { return counted_; }  // problems that both kernels have times of
  size_t size() const { return count_; }
  const Correction &operator[](size_t i) const { return all_[i]; }

 private:
  // The logarithm of a time over its kernel's prediction.
  bool off(const NearMeasured &near, uint32_t i, const TunedKernels &named, Like *like, double *out) const {
    // With any_build predictions may be those of other code: they are not kept.
    float value = rules_.policy.any_build ? std::nanf("") : near.off[i];
    if (std::isnan(value)) {
      like->make(near, p_);
      const Candidate c = judge_named(*named.kernel, named.second, *like->problem, like->steps, rules_, kernels_);
      if (!c.accepted || !(c.predicted_us > 0)) return false;
      value = static_cast<float>(std::log(near.table->times()[near.measured->first_time + i].us / c.predicted_us));
      if (!rules_.policy.any_build) near.off[i] = value;
    }
    *out = value;
    return true;
  }
  void add(const TunedKernels &named, const TuneTarget &target, double distance2, double beyond, double less) {
    const char *const algorithm = target.algorithm.empty() ? nullptr : intern(target.algorithm);
    size_t i = 0;
    while (i < count_ &&
           !(all_[i].kernel == named.kernel && all_[i].second == named.second && all_[i].algorithm == algorithm))
      ++i;
    if (i == kMostKernels) return;
    if (i == count_) all_[count_++] = {named.kernel, named.second, algorithm, 0, 0, 0, 0};
    const double weight = std::exp(-distance2 / kReach2);
    all_[i].weight += weight;
    all_[i].sum += weight * beyond;
    all_[i].squares += weight * beyond * beyond;
    all_[i].less += weight * less;
  }

  const gpuopt_problem &p_;
  const Candidate &untuned_;
  const Rules &rules_;
  const Snapshot &kernels_;
  std::array<Correction, kMostKernels> all_;
  size_t count_ = 0;
  int counted_ = 0;
};

std::string told(const NearMeasured &near, int count, const Candidate &best, double gain, const Candidate &untuned) {
  return "by " + std::to_string(count) + " measured problems near it, " + *near.name + ":" +
         std::to_string(near.measured->line) + " the nearest: predicted " + microseconds(best.predicted_us) +
         " us, expected " + shortest(std::round(1e3 * std::exp(-gain)) / 1e3) + " of " + name_of(untuned) +
         ", predicted " + microseconds(untuned.predicted_us) + " us";
}

}  // namespace

Candidate corrected_candidate(gpuopt_problem &p, TwoStep *steps, const Rules &rules, const Snapshot &kernels,
                              Candidate *untuned, TunedNotes *notes) {
  NearMeasured near[Tuning::kMostNear];
  const int count = rules.policy.tuning->nearest(p, kFarthest2, near);
  if (count == 0) return Candidate();
  *untuned = least_predicted(p, steps, rules, kernels);
  if (!untuned->accepted) return Candidate();
  Corrections corrections(p, *untuned, rules, kernels);
  for (int i = 0; i < count; ++i) corrections.add(near[i]);

  Candidate best;
  double best_gain = 0;
  for (size_t i = 0; i < corrections.size(); ++i) {
    const Correction &other = corrections[i];
    if (other.algorithm && is_refused(rules, *other.kernel, other.algorithm)) continue;
    Candidate c = judge_named(*other.kernel, other.second, p, steps, rules, kernels);
    if (!c.accepted || !(c.predicted_us > 0)) continue;
    const double gain = std::min(std::log(untuned->predicted_us / c.predicted_us) - other.mean(), other.gain_there());
    if (gain < kLeastGain + kUncertainty * other.error() || gain <= best_gain) continue;
    c.algorithm = other.algorithm;
    best = c;
    best_gain = gain;
  }
  if (best.kernel && notes->told())
    notes->use_measured(told(near[0], corrections.counted(), best, best_gain, *untuned));
  return best;
}

}  // namespace gpuopt
