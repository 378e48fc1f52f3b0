#include "tuner.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "algorithms.h"
#include "call_source.h"
#include "merge.h"
#include "of_call.h"
#include "session.h"
#include "text.h"
#include "verdicts.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

using gpuopt_measure::Time;
using gpuopt_measure::Times;

constexpr int64_t kMostChecked = int64_t{1} << 31;  // bytes of a problem that is held to the oracle
constexpr double kAlgorithmsWithin = 1.5;           // algorithms are measured of a kernel that is so near to the best
constexpr double kRacing = 1.1;                     // who is so near to the best takes part in the race
constexpr size_t kMostRacing = 16;
constexpr double kFarBehind = 1.5;  // what stands and is so far behind is not raced: its rounds would take all the time
constexpr double kNoiseOfFew = 0.5;  // what is so slow that few samples were taken may be off by so much

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

// Leaves no time of kernels that are wrong; false where there was one.
bool hold_to_oracle(const Oracle *oracle, gpuopt_handle *handle, const std::set<std::string> &names, TunedProblem *p) {
  if (!oracle) return true;
  gpuopt_check::Session session(handle);
  const size_t before = p->wrong.size();
  for (const std::string &name : names) {
    const std::string fault = gpuopt_check::verify(session, oracle->problem, oracle->truth, name, 1);
    if (fault.empty()) continue;
    p->wrong.push_back(name + ": " + fault);
    p->times.first.erase(name);
  }
  return p->wrong.size() == before;
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
      times[k.kernel] = k.to_choose();
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

bool far_behind(Time t, Time best) {
  for (Time *known : {&t, &best}) known->noise = std::min(known->noise, kNoiseOfFew);
  best.us *= kFarBehind;
  return gpuopt_measure::beats(best, t);
}

std::set<std::string> worth_a_race(const Times &first, const TunedProblem &p) {
  std::vector<std::pair<double, std::string>> by_time;
  for (const auto &t : first)
    if (t.second.us > 0) by_time.push_back({t.second.us, t.first});
  std::sort(by_time.begin(), by_time.end());
  std::set<std::string> names;
  for (const auto &t : by_time)
    if (names.size() < kMostRacing && t.first <= kRacing * by_time.front().first) names.insert(t.second);
  for (const std::string &name : {p.untuned, p.standing})
    if (first.count(name) && (by_time.empty() || !far_behind(first.at(name), first.at(by_time.front().second))))
      names.insert(name);
  return names;
}

gpuopt_measure::Race raced(BenchTimer *timer, const std::vector<std::string> &names, size_t standing,
                           double budget_seconds) {
  gpuopt_measure::Race race(names.size(), standing);
  const gpuopt_measure::Sampler sampler = timer->sampler(names);  // which warms up, in no round's time
  const auto start = std::chrono::steady_clock::now();
  race.run(sampler, [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / budget_seconds;
  });
  return race;
}

// Who runs the problem from now on: who stands, or who wins a race against it.
std::string winner_of(BenchTimer *timer, const std::set<std::string> &racing, double budget_seconds, TunedProblem *p) {
  // What cannot run, is wrong or far behind does not stand.
  const std::string standing = racing.count(p->standing) ? p->standing : gpuopt_measure::fastest(p->times.first);
  if (racing.size() < 2) return standing.empty() ? p->standing : standing;
  const std::vector<std::string> names(racing.begin(), racing.end());
  const auto at = static_cast<size_t>(std::find(names.begin(), names.end(), standing) - names.begin());
  const gpuopt_measure::Race race = raced(timer, names, at, budget_seconds * static_cast<double>(names.size()));
  for (size_t i = 0; i < names.size(); ++i) {
    if (race.failed(i))
      p->wrong.push_back(names[i] + ": it failed when it was measured again");
    else
      p->times.second[names[i]] = race.time(i);
  }
  return names[race.winner()];
}

}  // namespace

Time TunedProblem::time_of(const std::string &kernel) const {
  for (const Times *round : {&times.second, &times.first}) {
    const auto found = round->find(kernel);
    if (found != round->end() && found->second.us > 0) return found->second;
  }
  return {};
}

std::unique_ptr<const Oracle> make_oracle(const gpuopt_call::Call &call, const TunerOptions &o) {
  if (gpuopt_check::image_bytes(call) > std::min(o.most_checked, kMostChecked)) return nullptr;
  auto oracle = std::make_unique<Oracle>();
  oracle->problem = gpuopt_check::problem_of(call, gpuopt_check::Data::normal, 1);
  oracle->truth = gpuopt_check::find_truth(oracle->problem, o.truth_steps);
  return oracle;
}

TunedProblem tune(const gpuopt_call::Call &call, const TunerOptions &o, const Oracle *oracle) {
  TunedProblem p;
  p.problem = text_or_nothing(call);
  if (gpuopt_check::image_bytes(call) > kMostChecked) {
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
  t.to_choose = true;
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
  p.times.first = measured(timer.get(), candidates_of(o, untuned, p), &p);
  p.times.first.merge(measured(timer.get(), algorithms_worth_it(timer.get(), p.times.first), &p));
  // Who may be chosen is held to the oracle, and who is wrong takes part no more.
  std::set<std::string> racing;
  do racing = worth_a_race(p.times.first, p);
  while (!hold_to_oracle(oracle, timer->handle(), racing, &p));
  p.choice = winner_of(timer.get(), racing, o.budget_seconds, &p);
  if (p.time_of(p.choice).us <= 0) p.skipped = "no kernel ran it and was right";
  return p;
}

void check_tune_file(const std::string &path) {
  if (path == "none") reject_word("--tune-cache", path, "is no file: it stands for none of them");
  const std::string fault = gpuopt_tune::merge_into(path, {}).fault;
  if (!fault.empty()) throw CLI::ValidationError("--tune-cache", "'" + path + "': " + fault);
}

double raced_ratio(BenchTimer *timer, const std::string &kernel, const std::string &other, double budget_seconds) {
  return raced(timer, {kernel, other}, 0, budget_seconds).ratio(1).us;
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
