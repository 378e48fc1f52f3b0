// `gpuopt tune`: measures what could run given calls and writes what is to run them, as GPUOPT_TUNE_CACHE reads it
// (docs/tuning.md).
#include <cmath>
#include <cstdio>
#include <memory>

#include "algorithms.h"
#include "call_source.h"
#include "commands.h"
#include "common_options.h"
#include "json.h"
#include "merge.h"
#include "numbers.h"
#include "operand_fill.h"
#include "progress.h"
#include "text.h"
#include "tune_suite.h"
#include "tune_table.h"
#include "tuner.h"

namespace gpuopt_cli {
namespace {

struct TuneArguments {
  std::shared_ptr<CallSource> source = std::make_shared<CallSource>();
  std::string tune_cache, device = "auto", data = "normal", cache = "resident";
  double noise_percent = 1, within = 5, seconds = 0.5;
  bool unpredicted = false, exact_only = false, unchecked = false, json = false, csv = false;
};

struct TuneTotals {
  size_t tuned = 0, skipped = 0, changed = 0, wrong = 0, added = 0, replaced = 0;
  size_t gains = 0;  // of so many problems: an untuned kernel that failed has no time
  double log_gain = 0;
  double gain() const { return std::exp(log_gain / double(gains)); }  // geometric mean
  std::string fault;                                                  // of the file
};

TunerOptions tuner_options(const TuneArguments &o) {
  TunerOptions t;
  t.device = ordinal_of(parse_device(o.device));
  t.tune_cache = o.tune_cache;
  t.within = o.within;
  t.unpredicted = o.unpredicted;
  t.noise = o.noise_percent / 100;
  t.budget_seconds = o.seconds;
  t.cold = parse_cache(o.cache);
  t.data = parse_data("--data", o.data);
  if (o.unchecked) t.most_checked = 0;
  return t;
}

void write(const TuneArguments &o, const std::vector<gpuopt_tune::Entry> &entries, TuneTotals *totals) {
  if (o.tune_cache.empty() || entries.empty() || !totals->fault.empty()) return;
  const gpuopt_tune::Merged merged = gpuopt_tune::merge_into(o.tune_cache, entries);
  totals->fault = merged.fault;
  totals->added += merged.added;
  totals->replaced += merged.replaced;
}

Json json_of_tuned(const TunedProblem &p) {
  Json j = {{"problem", p.problem},         {"skipped", p.skipped},
            {"untuned", p.untuned},         {"untuned_us", p.time_of(p.untuned).us},
            {"standing", p.standing},       {"kernel", p.choice},
            {"us", p.time_of(p.choice).us}, {"wrong", p.wrong},
            {"kernels", Json::array()}};
  for (const auto &t : p.times.first) {
    const auto again = p.times.second.find(t.first);
    const bool twice = again != p.times.second.end();
    j["kernels"].push_back({{"kernel", t.first},
                            {"us", t.second.us},
                            {"noise", t.second.noise},
                            {"again_us", twice ? again->second.us : 0},
                            {"again_noise", twice ? again->second.noise : 0}});
  }
  return j;
}

// A row for each kernel of a problem.
Json rows_of(const std::vector<TunedProblem> &problems) {
  Json all = Json::array();
  for (const TunedProblem &p : problems) {
    all.push_back(json_of_tuned(p));
    all.back()["tuned"] = p.choice;
  }
  return rows_below(all, {"problem", "untuned", "standing", "tuned"}, "kernels");
}

void print(const TuneArguments &o, const std::vector<TunedProblem> &problems, const TuneTotals &t) {
  if (o.csv) return print_csv(rows_of(problems));
  if (o.json) {
    Json all = {{"tuned", t.tuned},
                {"skipped", t.skipped},
                {"changed", t.changed},
                {"gain", t.gains ? Json(t.gain()) : Json(nullptr)},
                {"file", o.tune_cache},
                {"entries_added", t.added},
                {"entries_replaced", t.replaced},
                {"problems", Json::array()}};
    for (const TunedProblem &p : problems) all["problems"].push_back(json_of_tuned(p));
    return print_json(all);
  }
  Table table({"untuned us", "tuned us", "gain", "kernels", "untuned", "tuned", "problem"});
  for (const size_t column : {0, 1, 2, 3}) table.align_right(column);
  for (const TunedProblem &p : problems) {
    if (!p.skipped.empty()) {
      table.add({"-", "-", "-", "-", "-", "-", p.problem + " (skipped: " + p.skipped + ")"}, Style::faint);
      continue;
    }
    const double untuned = p.time_of(p.untuned).us, tuned = p.time_of(p.choice).us;
    table.add(
        {formatted(untuned, "%.2f"), formatted(tuned, "%.2f"), untuned > 0 ? formatted(untuned / tuned, "%.3f") : "-",
         std::to_string(p.times.first.size()), p.untuned, p.choice, p.problem},
        p.choice == p.untuned ? Style::plain : Style::good);
  }
  table.print();
  if (t.tuned)
    std::printf("\n%zu tuned, %zu of them to another kernel; %s\n", t.tuned, t.changed,
                t.gains ? formatted(t.gain(), "geometric mean of gains %.3f").c_str()
                        : "no gain is known, for every untuned kernel failed");
  if (t.gains && t.gains < t.tuned)
    std::printf("%zu of them without a gain, for the untuned kernel failed\n", t.tuned - t.gains);
  if (o.tune_cache.empty())
    std::printf("nothing was written: --tune-cache FILE keeps it\n");
  else if (t.fault.empty())
    std::printf("%s: %zu entries added, %zu replaced\n", o.tune_cache.c_str(), t.added, t.replaced);
}

int run(const TuneArguments &o) {
  const std::vector<gpuopt_call::Call> calls = calls_of(*o.source);
  const TunerOptions options = tuner_options(o);
  TuneTotals totals;
  if (!o.tune_cache.empty()) check_tune_file(o.tune_cache);
  std::vector<TunedProblem> problems;
  Progress progress("tune");
  for (const gpuopt_call::Call &call : calls) {
    progress.show(problems.size() + 1, calls.size(), text_or_nothing(call));
    // Of options; the others have been looked at.
    gpuopt_call::Call own = call;
    size_t length = 0;
    if (gpuopt_call_text(own.args(), nullptr, nullptr, 0, &length) != GPUOPT_OK) {
      std::fprintf(stderr, "gpuopt tune: %s\n", gpuopt_last_error());
      return kUsage;
    }
    problems.push_back(tune(call, options, make_oracle(call, options).get()));
    const TunedProblem &p = problems.back();
    totals.wrong += p.wrong.size();
    if (!p.wrong.empty()) progress.clear();
    for (const std::string &fault : p.wrong)
      std::fprintf(stderr, "gpuopt tune: %s, of %s\n", fault.c_str(), p.problem.c_str());
    if (!p.skipped.empty()) {
      ++totals.skipped;
      continue;
    }
    ++totals.tuned;
    totals.changed += p.choice != p.untuned;
    if (p.time_of(p.untuned).us > 0) {
      ++totals.gains;
      totals.log_gain += std::log(p.time_of(p.untuned).us / p.time_of(p.choice).us);
    }
    write(o, o.exact_only ? std::vector{exact_entry(p)} : std::vector{exact_entry(p), measured_entry(p)}, &totals);
  }
  progress.clear();
  print(o, problems, totals);
  if (!totals.fault.empty())
    std::fprintf(stderr, "gpuopt tune: '%s': %s\n", o.tune_cache.c_str(), totals.fault.c_str());
  if (totals.tuned == 0) std::fprintf(stderr, "gpuopt tune: no problem was tuned\n");
  return totals.tuned > 0 && totals.wrong == 0 && totals.fault.empty() ? kOk : kFailure;
}

}  // namespace

void add_tune(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<TuneArguments>();
  CLI::App *verb = app.add_subcommand("tune", "Measures what could run given calls, and writes a tuned-choice file");
  const auto more = [o](CLI::App *v) {
    add_plugin_option(v);
    v->add_option("--tune-cache", o->tune_cache, "The file to add entries to; made where there is none");
    add_device(v, &o->device);
    add_data(v, &o->data);
    v->add_option("--cache", o->cache, "Operands resident or cold");
    add_positive(v, "--noise", &o->noise_percent, "Measure until medians are known to so many percent (1)");
    add_positive(v, "--seconds", &o->seconds, "... or for so long, each kernel and each time (0.5)");
    add_positive(v, "--within", &o->within,
                 "Leave out kernels that are predicted to take more than so many times the best prediction (5)");
    v->add_flag("--unpredicted", o->unpredicted, "Measure kernels without a prediction, those that teach, too");
    v->add_flag("--unchecked", o->unchecked, "Hold nothing to the oracle, which takes seconds for large problems");
    v->add_flag("--exact-only", o->exact_only, "Write entries that speak of the problems themselves only");
    add_formats(v, &o->json, &o->csv, "As CSV, a line for each kernel of a problem");
  };
  add_call_source(verb, o->source, more, [o, exit_code] { *exit_code = run(*o); });
  add_tune_suite(verb, exit_code);
  add_tune_table(verb, exit_code);
}

}  // namespace gpuopt_cli
