#include "tuner.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "algorithms.h"
#include "call_source.h"
#include "of_call.h"
#include "session.h"
#include "text.h"
#include "verdicts.h"

namespace gpuopt_cli {
namespace {

using gpuopt_measure::Time;
using gpuopt_measure::Times;

constexpr int64_t kMostChecked = int64_t{1} << 31;  // bytes of a problem that is held to the oracle
constexpr double kAlgorithmsWithin = 1.5;           // algorithms are measured of a kernel that is so near to the best
constexpr double kAgain = 1.1;                      // who is so near to the best is measured a second time
constexpr size_t kMostAgain = 6;

gpuopt_status explain_with(BenchTimer *timer, const std::string &tune_cache, Verdicts *verdicts) {
  gpuopt_status s = gpuopt_set_tune_cache(timer->handle(), tune_cache.c_str());
  if (s == GPUOPT_OK) s = gpuopt_explain(timer->handle(), timer->call().call.args(), nullptr, Verdicts::take, verdicts);
  verdicts->sort();
  return s;
}

std::string exact_key_of(BenchTimer *timer) {
  char text[GPUOPT_TUNE_KEY_BYTES];
  size_t length = 0;
  const gpuopt_status s = gpuopt_tune_key(timer->handle(), timer->call().call.args(), nullptr, GPUOPT_TUNE_EXACT, text,
                                          sizeof text, &length);
  return s == GPUOPT_OK ? std::string(text, length) : "";
}

std::set<std::string> candidates_of(const TunerOptions &o, const Verdicts &verdicts, const TunedProblem &p) {
  std::set<std::string> names = {p.untuned, p.standing};
  double least = 0;
  for (const Verdict *v : verdicts.accepted())
    if (v->predicted_us > 0 && (least == 0 || v->predicted_us < least)) least = v->predicted_us;
  for (const Verdict *v : verdicts.accepted()) {
    const bool near = v->predicted_us > 0 ? v->predicted_us <= o.within * least : o.unpredicted;
    if (near) names.insert(v->kernel);
  }
  return names;
}

// Drops who is wrong.
void hold_to_oracle(const gpuopt_call::Call &call, double truth_steps, BenchTimer *timer, std::set<std::string> *names,
                    TunedProblem *p) {
  if (names->empty()) return;
  const gpuopt_check::Problem problem = gpuopt_check::problem_of(call, gpuopt_check::Data::normal, 1);
  const gpuopt_check::Truth truth = gpuopt_check::find_truth(problem, truth_steps);
  gpuopt_check::Session session(timer->handle());
  for (auto name = names->begin(); name != names->end();) {
    const std::string fault = gpuopt_check::verify(session, problem, truth, *name, 1);
    if (!fault.empty()) p->wrong.push_back(*name + ": " + fault);
    name = fault.empty() ? std::next(name) : names->erase(name);
  }
}

Times measured(BenchTimer *timer, const std::set<std::string> &names, TunedProblem *p) {
  if (names.empty()) return {};
  std::vector<KernelTime> kernels;
  for (const std::string &name : names) {
    kernels.emplace_back();
    kernels.back().kernel = name;
  }
  timer->time(&kernels);
  Times times;
  for (const KernelTime &k : kernels) {
    if (k.failure.empty())
      times[k.kernel] = k.best();
    else
      p->wrong.push_back(k.kernel + ": " + k.failure);
  }
  return times;
}

// The algorithms of kernels whose own choice is not far behind.
std::set<std::string> algorithms_worth_it(BenchTimer *timer, const Times &first) {
  const Time best = first.empty() ? Time() : first.at(gpuopt_measure::fastest(first));
  std::set<std::string> names;
  for (const auto &t : first) {
    if (t.second.us <= 0 || t.second.us > kAlgorithmsWithin * best.us || without_algorithm(t.first) != t.first)
      continue;
    for (const std::string &name : other_algorithms(timer->handle(), &timer->call().call, t.first))
      if (!first.count(name)) names.insert(name);
  }
  return names;
}

std::set<std::string> worth_again(const Times &first, const TunedProblem &p) {
  std::vector<std::pair<double, std::string>> by_time;
  for (const auto &t : first)
    if (t.second.us > 0) by_time.push_back({t.second.us, t.first});
  std::sort(by_time.begin(), by_time.end());
  std::set<std::string> names;
  for (const auto &t : by_time)
    if (names.size() < kMostAgain && t.first <= kAgain * by_time.front().first) names.insert(t.second);
  for (const std::string &name : {p.untuned, p.standing})
    if (first.count(name)) names.insert(name);
  return names;
}

}  // namespace

Time TunedProblem::time_of(const std::string &kernel) const {
  for (const Times *round : {&times.second, &times.first}) {
    const auto found = round->find(kernel);
    if (found != round->end() && found->second.us > 0) return found->second;
  }
  return {};
}

TunedProblem tune(const gpuopt_call::Call &call, const TunerOptions &o) {
  TunedProblem p;
  p.problem = text_or_nothing(call);
  const int64_t bytes = gpuopt_check::image_bytes(call);
  if (bytes > kMostChecked) {
    p.skipped = "it has more than 2^31 bytes: no kernel could be held to the oracle";
    return p;
  }
  TimerOptions t;
  t.call = call;
  t.device = o.device;
  t.tune_cache = "none";
  t.noise = o.noise;
  t.budget_seconds = o.budget_seconds;
  t.cold = o.cold;
  t.data = o.data;
  const std::unique_ptr<BenchTimer> timer = make_timer(t);
  Verdicts untuned, tuned;
  if (explain_with(timer.get(), "none", &untuned) != GPUOPT_OK || !untuned.chosen()) {
    p.skipped = gpuopt_last_error();
    return p;
  }
  p.exact_key = exact_key_of(timer.get());
  if (p.exact_key.empty()) {
    p.skipped = gpuopt_last_error();
    return p;
  }
  p.standing = p.untuned = untuned.chosen()->kernel;
  if (o.most_us > 0 && untuned.chosen()->predicted_us > o.most_us) {
    p.skipped = "it is predicted to take too long";
    return p;
  }
  const bool has_file = !o.tune_cache.empty() && ::access(o.tune_cache.c_str(), F_OK) == 0;
  if (has_file && explain_with(timer.get(), o.tune_cache, &tuned) == GPUOPT_OK && tuned.chosen())
    p.standing = tuned.chosen()->kernel;
  gpuopt_set_tune_cache(timer->handle(), "none");
  std::set<std::string> names = candidates_of(o, untuned, p);
  const bool checked = bytes <= o.most_checked;
  if (checked) hold_to_oracle(call, o.truth_steps, timer.get(), &names, &p);
  p.times.first = measured(timer.get(), names, &p);
  std::set<std::string> algorithms = algorithms_worth_it(timer.get(), p.times.first);
  if (checked) hold_to_oracle(call, o.truth_steps, timer.get(), &algorithms, &p);
  p.times.first.merge(measured(timer.get(), algorithms, &p));
  p.times.second = measured(timer.get(), worth_again(p.times.first, p), &p);
  p.choice = gpuopt_measure::choose(p.standing, p.times.first, p.times.second);
  if (p.time_of(p.choice).us <= 0) p.skipped = "no kernel ran it and was right";
  return p;
}

gpuopt_tune::Entry exact_entry(const TunedProblem &p) {
  return {p.exact_key, choice_text(p.choice) + formatted(p.time_of(p.choice).us, " us=%.6g") +
                           formatted(p.time_of(p.untuned).us, " untuned_us=%.6g")};
}

gpuopt_tune::Entry measured_entry(const TunedProblem &p) {
  std::map<std::string, double> times;
  for (const auto &t : p.times.first) times[t.first] = p.time_of(t.first).us;
  return gpuopt_tune::measured_entry(p.exact_key, times);
}

}  // namespace gpuopt_cli
