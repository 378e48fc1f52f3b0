#include "tune_suite.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>

#include "call_source.h"
#include "commands.h"
#include "common_options.h"
#include "explain.h"
#include "gpuopt_call/random_call.h"
#include "halves.h"
#include "merge.h"
#include "numbers.h"
#include "operand_fill.h"
#include "oracles_ahead.h"
#include "progress.h"
#include "suite_record.h"
#include "suite_report.h"
#include "text.h"
#include "tuner.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

using gpuopt_measure::Judged;

constexpr uint64_t kFamily = 4;  // problems of one kind, of which some are tuned and some are not
constexpr double kMostUs = 5e3;  // problems that are predicted to take longer are left out
constexpr int64_t kMostCheckedOfSuite = int64_t{1} << 24;
constexpr double kTruthStepsOfSuite = 2e7;
constexpr int kMostBegun = 2;         // a problem that ended the process so often is left out
constexpr double kTuningShare = 0.7;  // of the time; the rest is for judging
constexpr int kAgain = 3;
constexpr size_t kWrittenAtOnce = 16;  // problems; what was not written is in the record

struct TuneSuiteArguments {
  std::string tune_cache, record, ops = "gemm,gemm_grouped,transpose,reduce,fused_act,norm", device = "auto",
                                  cache = "resident";
  int64_t count = 300, seconds = 0;
  uint64_t seed = 1;
  double noise_percent = 1, each = 0.05, within = 5;
  bool json = false;
};

class Clock {
 public:
  explicit Clock(int64_t seconds) : seconds_(seconds) {}
  bool over(double share = 1) const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    return seconds_ > 0 && spent.count() > share * static_cast<double>(seconds_);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int64_t seconds_;
};

struct SuiteProblem {
  int32_t op;
  gpuopt_call::Call call;
  std::string text;
  bool tuned_half;
};

// Of all ops in turn, so that a run that is cut off has some of each.
std::vector<SuiteProblem> problems_of(const TuneSuiteArguments &o) {
  std::vector<int32_t> ops;
  for (const std::string &name : split(o.ops, ',')) ops.push_back(parse_op("--ops", name));
  std::vector<SuiteProblem> all;
  for (int64_t i = 0; i < o.count; ++i)
    for (const int32_t op : ops) {
      const auto index = static_cast<uint64_t>(i);
      gpuopt_call::Call call = gpuopt_call::random_call(op, o.seed, index / kFamily, index % kFamily);
      const std::string text = text_or_nothing(call);
      if (!text.empty()) all.push_back({op, std::move(call), text, gpuopt_measure::in_tuned_half(text)});
    }
  return all;
}

struct State {
  const TuneSuiteArguments &o;
  Clock clock;
  SuiteRecord record;
  Progress progress{"tune suite"};
  size_t left = 0;            // problems that there was no time for
  size_t reached = SIZE_MAX;  // the first that was not tuned for want of time: what comes later is not judged
};

TunerOptions tuner_options(const TuneSuiteArguments &o) {
  TunerOptions t;
  t.device = ordinal_of(parse_device(o.device));
  t.tune_cache = o.tune_cache;
  t.within = o.within;
  t.noise = o.noise_percent / 100;
  t.budget_seconds = o.each;
  t.cold = parse_cache(o.cache);
  t.most_us = kMostUs;
  t.most_checked = kMostCheckedOfSuite;
  t.truth_steps = kTruthStepsOfSuite;
  return t;
}

void write_entries(const TuneSuiteArguments &o, const std::vector<gpuopt_tune::Entry> &entries) {
  if (entries.empty()) return;
  const gpuopt_tune::Merged merged = gpuopt_tune::merge_into(o.tune_cache, entries);
  if (!merged.fault.empty()) throw std::runtime_error("'" + o.tune_cache + "': " + merged.fault);
}

std::vector<gpuopt_tune::Entry> entries_of(const TunedProblem &p) {
  if (!p.skipped.empty()) return {};
  return {exact_entry(p), measured_entry(p)};
}

// Of all that was tuned so far: what an earlier run had no time to write is written.
std::vector<gpuopt_tune::Entry> all_entries(const std::vector<TunedProblem> &problems) {
  std::vector<gpuopt_tune::Entry> entries;
  for (const TunedProblem &p : problems)
    for (gpuopt_tune::Entry &e : entries_of(p)) entries.push_back(std::move(e));
  return entries;
}

// Those of the tuned half that the record does not have, each once.
std::vector<size_t> to_tune(const SuiteRecord &record, const std::vector<SuiteProblem> &problems) {
  std::vector<size_t> index;
  std::set<std::string> texts;
  for (size_t i = 0; i < problems.size(); ++i)
    if (problems[i].tuned_half && !record.tuned(problems[i].text) && texts.insert(problems[i].text).second)
      index.push_back(i);
  return index;
}

TunedProblem given_up(const SuiteProblem &p) {
  TunedProblem tuned;
  tuned.problem = p.text;
  tuned.skipped = "it ended the process";
  tuned.wrong.push_back(tuned.skipped + ", " + std::to_string(kMostBegun) + " times");
  return tuned;
}

void tune_half(State *s, const std::vector<SuiteProblem> &problems, const TunerOptions &t) {
  const std::vector<size_t> index = to_tune(s->record, problems);
  std::vector<const gpuopt_call::Call *> calls;
  for (const size_t i : index) calls.push_back(&problems[i].call);
  OraclesAhead oracles(calls, t);
  std::vector<gpuopt_tune::Entry> unwritten;
  for (size_t k = 0; k < index.size(); ++k) {
    const SuiteProblem &p = problems[index[k]];
    if (s->clock.over(kTuningShare)) {
      s->reached = index[k];
      s->left += index.size() - k;
      break;
    }
    s->progress.show(index[k] + 1, problems.size(), "tuning " + p.text);
    const std::unique_ptr<const Oracle> oracle = oracles.next();
    const bool ends = s->record.begun(p.text) >= kMostBegun;
    if (!ends) s->record.begin(p.text);
    const TunedProblem tuned = ends ? given_up(p) : tune(p.call, t, oracle.get());
    s->record.add(tuned);
    for (const std::string &fault : tuned.wrong) {
      s->progress.clear();
      std::fprintf(stderr, "gpuopt tune suite: %s, of %s\n", fault.c_str(), p.text.c_str());
    }
    for (gpuopt_tune::Entry &e : entries_of(tuned)) unwritten.push_back(std::move(e));
    if ((k + 1) % kWrittenAtOnce != 0) continue;
    write_entries(s->o, unwritten);
    unwritten.clear();
  }
  write_entries(s->o, all_entries(s->record.all_tuned()));
}

// The candidate that took the least time, by the later of two measurements where there were two.
std::string best_of(const TunedProblem &p) {
  std::string best = p.choice;
  for (const auto &t : p.times.first)
    if (t.second.us > 0 && p.time_of(t.first).us < p.time_of(best).us) best = t.first;
  return best;
}

// other's time over automatic's, of the same rounds.
double measured_ratio(const SuiteProblem &p, const TunerOptions &t, const std::string &automatic,
                      const std::string &other) {
  TimerOptions o;
  o.call = p.call;
  o.device = t.device;
  o.tune_cache = "none";
  o.noise = t.noise;
  o.budget_seconds = t.budget_seconds;
  o.cold = t.cold;
  o.to_choose = true;
  const std::unique_ptr<BenchTimer> timer = make_timer(o);
  const double least = p.tuned_half ? gpuopt_measure::kTunedLeast : gpuopt_measure::kOtherLeast;
  std::vector<double> ratios;
  // What is below its bound is measured again, for a single measurement may be disturbed.
  for (int i = 0; i < 1 + kAgain; ++i) {
    const double ratio = raced_ratio(timer.get(), automatic, other, 2 * t.budget_seconds);
    if (ratio > 0) ratios.push_back(ratio);
    if (ratios.size() == 1 && ratios[0] >= least) break;
  }
  return gpuopt_measure::median(ratios);
}

const Verdict *chosen_by(Explainer *explainer, const SuiteProblem &p, Verdicts *verdicts) {
  if (explainer->explain(p.call, Verdicts::take, verdicts) != GPUOPT_OK) return nullptr;
  verdicts->sort();
  return verdicts->chosen();
}

std::vector<Judged> judge(State *s, const std::vector<SuiteProblem> &problems, const TunerOptions &t) {
  ExplainOptions with, without;
  with.device = without.device = s->o.device;
  with.tune_cache = s->o.tune_cache;
  without.tune_cache = "none";
  Explainer tuned(with), untuned(without);
  std::vector<Judged> all;
  for (size_t i = 0; i < std::min(problems.size(), s->reached); ++i) {
    const SuiteProblem &p = problems[i];
    const TunedProblem *const own = s->record.tuned(p.text);
    if (p.tuned_half && (!own || !own->skipped.empty())) continue;
    Verdicts a, b;
    const Verdict *const automatic = chosen_by(&tuned, p, &a), *const plain = chosen_by(&untuned, p, &b);
    if (!automatic || !plain || plain->predicted_us > kMostUs) continue;
    const std::string other = p.tuned_half ? best_of(*own) : plain->kernel;
    Judged j = {gpuopt_op_name(p.op), p.text, p.tuned_half, automatic->how == GPUOPT_HOW_TUNED, 1};
    if (other != automatic->kernel) {
      j.ratio = s->record.ratio(p.text, automatic->kernel, other);
      if (j.ratio <= 0 && s->clock.over()) {
        ++s->left;
        continue;
      }
      if (j.ratio <= 0) {
        s->progress.show(i + 1, problems.size(), "judging " + p.text);
        j.ratio = measured_ratio(p, t, automatic->kernel, other);
        if (j.ratio > 0) s->record.add(p.text, automatic->kernel, other, j.ratio);
      }
      if (j.ratio <= 0) continue;  // one of them could not be measured, as stderr says of what is tuned
    }
    all.push_back(j);
  }
  s->progress.clear();
  return all;
}

int run(const TuneSuiteArguments &o) {
  const std::vector<SuiteProblem> problems = problems_of(o);
  const TunerOptions t = tuner_options(o);
  check_tune_file(o.tune_cache);
  ExplainOptions e;
  e.device = o.device;
  e.tune_cache = "none";
  const std::string device = Explainer(e).facts().name;
  State s = {o, Clock(o.seconds),
             SuiteRecord(o.record, {{"suite", "tune"},
                                    {"seed", o.seed},
                                    {"family", kFamily},
                                    {"device", device},
                                    {"cache", o.cache},
                                    {"build", gpuopt_build_info()}})};
  tune_half(&s, problems, t);
  const std::vector<Judged> judged = judge(&s, problems, t);
  const SuiteReport report = {judged, split(o.ops, ','), o.seed, o.count, s.left};
  if (o.json)
    print_json(suite_json(report));
  else
    print_suite(report);
  if (judged.empty()) std::fprintf(stderr, "gpuopt tune suite: no problem was judged\n");
  return judged.empty() ? kFailure : kOk;
}

}  // namespace

void add_tune_suite(CLI::App *tune, int *exit_code) {
  const auto o = std::make_shared<TuneSuiteArguments>();
  CLI::App *verb = tune->add_subcommand(
      "suite", "What tuning is worth: random problems, one half tuned, both judged; resumable, within a time");
  add_plugin_option(verb);
  verb->add_option("--tune-cache", o->tune_cache, "The file that the tuned half writes; made where there is none")
      ->required();
  verb->add_option("--record", o->record, "Notes each step there, and does not do it again in another run");
  verb->add_option("--ops", o->ops, "Only these operations, a comma list");
  add_integer(verb, "--count", &o->count, 1, 1000000, "Problems of each operation (300)");
  add_seed(verb, &o->seed, "the problems");
  add_integer(verb, "--seconds", &o->seconds, 1, 1000000, "Stop after so many seconds in all; what is left is counted");
  add_positive(verb, "--each", &o->each, "Seconds for each kernel and each time (0.05)");
  add_positive(verb, "--noise", &o->noise_percent, "... or until medians are known to so many percent (1)");
  add_positive(verb, "--within", &o->within,
               "Leave out kernels that are predicted to take more than so many times the best prediction (5)");
  add_device(verb, &o->device);
  verb->add_option("--cache", o->cache, "Operands resident or cold");
  verb->add_flag("--json", o->json, "As JSON, with every problem");
  verb->callback([o, exit_code] { *exit_code = run(*o); });
}

}  // namespace gpuopt_cli
