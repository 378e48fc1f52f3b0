// What measurements of like problems say of a problem that was not measured. Each time is set beside what its kernel predicts for
// the problem that it was taken of, and the logarithm of the two is carried over: a kernel's prediction is corrected by the mean of
// these over the nearest problems, each with the weight exp(-distance^2 / kReach2), and beside them kPrior of no correction at all.
// So a prediction stays as it is where nothing like it was measured, and a refit of predictions leaves times what they are.
//
// Another kernel than the least predicted one runs only if it is expected to take less time by more than kLeastGain and the
// corrections' own uncertainty: their scatter, and the prior's where they are few. The constants are those that took
// least time, and nowhere 3 % more, on halves of a record of the suite selection that were not measured (`gpuopt_bench tune`).
#include <array>
#include <cmath>

#include "text.h"
#include "tuning/measured.h"
#include "tuning/tuned_candidate.h"

namespace gpuopt {
namespace {

constexpr float kReach2 = 4;                             // a problem with one extent twice as large has the weight 0.78
constexpr float kFarthest2 = 12;                         // beyond it weights are below a twentieth
constexpr double kPrior = 0.2;                           // in problems at no distance
constexpr double kPredictionError = 0.1;                 // of a prediction that nothing corrects, in logarithms
constexpr double kLeastGain = 0.02, kUncertainty = 1.5;  // in logarithms; in standard deviations
constexpr size_t kMostKernels = 32;                      // of which the nearest problems have times

struct Correction {
  const gpuopt_kernel *kernel, *second;
  const char *algorithm;  // interned, or nullptr
  double weight, sum, squares;
  double mean() const { return sum / (weight + kPrior); }
  double variance() const {
    const double all = weight + kPrior, m = mean();
    const double scatter = (squares + kPrior * kPredictionError * kPredictionError) / all - m * m * weight / all;
    return std::fmax(scatter, 0) * kPrior / all;
  }
};

class Corrections {
 public:
  void add(const NearMeasured &near, const gpuopt_problem &p, const Rules &rules, const Snapshot &kernels) {
    gpuopt_problem like = problem_of_key(near.table->key(*near.measured), p);
    TwoStep two;
    TwoStep *const steps = split_gemm(like, &two) ? &two : nullptr;
    const double weight = std::exp(-near.distance2 / kReach2);
    for (const TuneTable::Time &t : near.measured->times) {
      const TuneTarget &target = near.table->targets()[t.target];
      const TunedKernels named = resolve(target, kernels);
      if (named.fault != TargetFault::none) continue;
      const Candidate c = judge_named(*named.kernel, named.second, like, steps, rules, kernels);
      if (!c.accepted || !(c.predicted_us > 0)) continue;
      Correction *const to =
          of(named.kernel, named.second, target.algorithm.empty() ? nullptr : intern(target.algorithm));
      if (to == nullptr) continue;
      const double off = std::log(t.us / c.predicted_us);
      to->weight += weight;
      to->sum += weight * off;
      to->squares += weight * off * off;
    }
  }
  // That of a kernel, which is made if there is none and room; or nullptr.
  Correction *of(const gpuopt_kernel *kernel, const gpuopt_kernel *second, const char *algorithm) {
    for (size_t i = 0; i < count_; ++i)
      if (all_[i].kernel == kernel && all_[i].second == second && all_[i].algorithm == algorithm) return &all_[i];
    if (count_ == kMostKernels) return nullptr;
    all_[count_] = {kernel, second, algorithm, 0, 0, 0};
    return &all_[count_++];
  }
  size_t size() const { return count_; }
  const Correction &operator[](size_t i) const { return all_[i]; }

 private:
  std::array<Correction, kMostKernels> all_;
  size_t count_ = 0;
};

std::string told(const NearMeasured *near, int count, const Candidate &best, double correction,
                 const Candidate &untuned, double untuned_correction) {
  const auto corrected = [](const Candidate &c, double by) {
    return microseconds(c.predicted_us) + " us x " + shortest(std::round(1e3 * std::exp(by)) / 1e3);
  };
  return "by " + std::to_string(count) + " measured problems near it, " + *near[0].name + ":" +
         std::to_string(near[0].measured->line) + " the nearest: predicted " + corrected(best, correction) + ", " +
         name_of(untuned) + " " + corrected(untuned, untuned_correction);
}

}  // namespace

Candidate corrected_candidate(gpuopt_problem &p, TwoStep *steps, const Rules &rules, const Snapshot &kernels,
                              Candidate *untuned, TunedNotes *notes) {
  NearMeasured near[Tuning::kMostNear];
  const int count = rules.policy.tuning->nearest(p, kFarthest2, near);
  if (count == 0) return Candidate();
  *untuned = least_predicted(p, steps, rules, kernels);
  if (!untuned->accepted) return Candidate();
  Corrections corrections;
  for (int i = 0; i < count; ++i) corrections.add(near[i], p, rules, kernels);
  const Correction *const standing = corrections.of(untuned->kernel, untuned->second, nullptr);
  if (standing == nullptr || standing->weight <= 0) return Candidate();

  Candidate best;
  double best_gain = 0, best_correction = 0;
  for (size_t i = 0; i < corrections.size(); ++i) {
    const Correction &other = corrections[i];
    if (&other == standing || other.weight <= 0) continue;
    if (other.algorithm && is_refused(rules, *other.kernel, other.algorithm)) continue;
    Candidate c = judge_named(*other.kernel, other.second, p, steps, rules, kernels);
    if (!c.accepted || !(c.predicted_us > 0)) continue;
    const double gain = std::log(untuned->predicted_us / c.predicted_us) + standing->mean() - other.mean(),
                 error = std::sqrt(standing->variance() + other.variance());
    if (gain < kLeastGain + kUncertainty * error || gain <= best_gain) continue;
    c.algorithm = other.algorithm;
    best = c;
    best_gain = gain;
    best_correction = other.mean();
  }
  if (best.kernel && notes->told())
    notes->use_measured(told(near, count, best, best_correction, *untuned, standing->mean()));
  return best;
}

}  // namespace gpuopt
