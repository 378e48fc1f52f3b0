// `gpuopt bench`: every kernel that can run a problem, timed beside its prediction, the device's bound, and the one that would be
// chosen.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "algorithms.h"
#include "bench_report.h"
#include "call_source.h"
#include "commands.h"
#include "common_options.h"
#include "explain.h"
#include "gpuopt/kernel.h"
#include "numbers.h"
#include "operand_fill.h"
#include "progress.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

constexpr int64_t kMostRepeats = 1000000;
constexpr double kQuickLook = 0.1;  // of the time that a kernel gets
constexpr int kMeasuredAgain = 2;   // what seems slower than before, at the most

struct BenchArguments {
  std::shared_ptr<CallSource> source = std::make_shared<CallSource>();
  std::string device = "auto", kernel, force, tune_cache, data = "normal", cache, compare, algorithms = "best";
  int64_t repeat = 0;
  double noise_percent = 1, seconds = 1, within = 100;
  bool json = false, csv = false;
};

bool asked_for(const BenchArguments &o, const std::string &whole_name) {
  return !o.kernel.empty() && matches_name(o.kernel, without_algorithm(whole_name));
}

// What is to be timed: the chosen kernel, with which all are compared, and those that were asked for, or all that are worth it.
void choose_kernels(const BenchArguments &o, const Verdicts &verdicts, BenchedProblem *p) {
  const Verdict *const chosen = verdicts.chosen();
  for (const Verdict *v : verdicts.accepted()) {
    const bool slow = chosen->predicted_us > 0 && v->predicted_us > o.within * chosen->predicted_us;
    if (v != chosen && (o.kernel.empty() ? slow : !asked_for(o, v->kernel))) {
      p->too_slow += o.kernel.empty();
      continue;
    }
    BenchedKernel k;
    k.time.kernel = v->kernel;
    k.time.chosen = v == chosen;
    k.predicted_us = v->predicted_us;
    p->kernels.push_back(k);
  }
  for (const Verdict *v : verdicts.rejected()) {
    if (asked_for(o, v->kernel))
      p->cannot_run.push_back({v->kernel, v->text});
    else
      ++p->rejected;
  }
}

BenchedKernel kernel_named(const std::string &name) {
  BenchedKernel k;
  k.time.kernel = name;
  return k;
}

// The algorithms of libraries beside their own choice, as a careful user has them: of each kernel all, or the one that is fastest
// by a quick look.
void add_algorithms(const BenchArguments &o, BenchTimer *timer, BenchedProblem *p) {
  std::vector<BenchedKernel> more;
  for (const BenchedKernel &k : p->kernels) {
    std::vector<std::string> names = other_algorithms(timer->handle(), &timer->call().call, k.time.kernel);
    names.erase(std::remove(names.begin(), names.end(), k.time.kernel), names.end());  // the tuned one
    if (o.algorithms == "all")
      for (const std::string &name : names) more.push_back(kernel_named(name));
    if (o.algorithms == "all" || names.empty()) continue;
    p->algorithms += names.size();
    std::vector<KernelTime> times;
    for (const std::string &name : names) times.push_back(kernel_named(name).time);
    timer->time_within(&times, kQuickLook);
    const auto us = [](const KernelTime &t) { return t.failure.empty() ? t.best().us : INFINITY; };
    const auto best = std::min_element(times.begin(), times.end(),
                                       [&](const KernelTime &a, const KernelTime &b) { return us(a) < us(b); });
    if (best->failure.empty()) more.push_back(kernel_named(best->kernel));
  }
  for (BenchedKernel &k : more) p->kernels.push_back(std::move(k));
}

void sort_by_time(std::vector<BenchedKernel> *kernels) {
  std::stable_sort(kernels->begin(), kernels->end(), [](const BenchedKernel &a, const BenchedKernel &b) {
    const bool failed = !a.time.failure.empty();
    return failed != !b.time.failure.empty() ? !failed : a.us() < b.us();
  });
}

void time_problem(BenchTimer *timer, BenchedProblem *p) {
  gpuopt_measure::ClockWatch watch([timer] { return gpuopt_measure::read_clocks(timer->pci_bus_id()); });
  std::vector<KernelTime> times;
  for (const BenchedKernel &k : p->kernels) times.push_back(k.time);
  timer->time(&times);
  p->clocks = watch.stop();
  for (size_t i = 0; i < times.size(); ++i) p->kernels[i].time = times[i];
  sort_by_time(&p->kernels);
}

// kOk, or why a problem could not be timed at all.
int bench_call(const BenchArguments &o, const gpuopt_call::Call &call, int32_t device, BenchReport *report) {
  ExplainOptions e;
  e.device = o.device;
  e.kernel = o.force;
  e.tune_cache = o.tune_cache;
  Explainer explainer(e);
  report->device = explainer.facts();
  Verdicts verdicts;
  const gpuopt_status s = explainer.explain(call, Verdicts::take, &verdicts);
  if (s != GPUOPT_OK) {
    std::fprintf(stderr, "gpuopt bench: %s: %s\n", gpuopt_status_name(s), gpuopt_last_error());
    return s == GPUOPT_INVALID_ARGUMENT ? kUsage : kFailure;
  }
  verdicts.sort();
  BenchedProblem p;
  p.problem = text_or_nothing(call);
  choose_kernels(o, verdicts, &p);
  TimerOptions t;
  t.call = call;
  t.device = device;
  t.repeat = o.repeat;
  t.noise = o.noise_percent / 100;
  t.budget_seconds = o.seconds;
  t.cold = o.cache.empty() ? device >= 0 : parse_cache(o.cache);
  t.data = parse_data("--data", o.data);
  const std::unique_ptr<BenchTimer> timer = make_timer(t);
  p.flops = timer->call().flops;
  p.bytes = timer->call().bytes;
  gpuopt_call::Call bounded = call;
  p.bound = gpuopt_call::bound_of(&bounded, report->device);
  if (o.algorithms != "none" && o.force.empty()) add_algorithms(o, timer.get(), &p);
  time_problem(timer.get(), &p);
  report->method = timer->method();
  report->has_graphs = timer->has_graphs();
  report->cache = t.cold ? "cold" : "resident";
  report->problems.push_back(std::move(p));
  return kOk;
}

bool any_slower(const std::vector<gpuopt_measure::Row> &before, const BenchReport &one_problem) {
  const std::vector<gpuopt_measure::Change> all = gpuopt_measure::changes(before, bench_rows(one_problem));
  return std::any_of(all.begin(), all.end(), [](const gpuopt_measure::Change &c) { return c.slower; });
}

// What disturbs a measurement - other work, where memory came to lie, clocks - is alike for all its samples, so their noise does
// not tell of it, and it makes kernels slower, never faster. So a problem of which a kernel seems slower is measured again, on
// memory of its own, and the least of its times counts.
void measure_again(const BenchArguments &o, const std::vector<gpuopt_measure::Row> &before, int32_t device,
                   BenchReport *report) {
  for (BenchedProblem &p : report->problems)
    for (int again = 0; again < kMeasuredAgain; ++again) {
      BenchReport one = *report, other = *report;
      one.problems = {p};
      other.problems.clear();
      if (!any_slower(before, one)) break;
      if (bench_call(o, parse_call("--problem", p.problem), device, &other) != kOk) break;
      for (BenchedKernel &k : p.kernels)
        for (const BenchedKernel &now : other.problems[0].kernels)
          if (now.time.kernel == k.time.kernel && now.time.failure.empty() && now.us() < k.us()) k.time = now.time;
      sort_by_time(&p.kernels);
    }
}

// What became slower, as text or into the JSON; false where something did, or nothing can be compared.
bool compare(const BenchArguments &o, const std::vector<gpuopt_measure::Row> &before, const BenchReport &report,
             Json *json) {
  const std::vector<gpuopt_measure::Change> all = gpuopt_measure::changes(before, bench_rows(report));
  size_t known = 0, slower = 0, faster = 0;
  Json list = Json::array();
  for (const gpuopt_measure::Change &c : all) {
    known += c.known;
    slower += c.slower;
    faster += c.faster;
    list.push_back({{"problem", c.after.problem},
                    {"kernel", c.after.kernel},
                    {"before_us", c.before.time.us},
                    {"us", c.after.time.us},
                    {"ratio", c.ratio},
                    {"known", c.known},
                    {"slower", c.slower},
                    {"faster", c.faster}});
  }
  (*json)["compared_with"] = o.compare;
  (*json)["changes"] = std::move(list);
  FILE *const out = o.json || o.csv ? stderr : stdout;
  for (const gpuopt_measure::Change &c : all)
    if (c.slower || c.faster)
      std::fprintf(out, "%s: %.2f us, before %.2f, x %.3f: %s, %s\n", c.slower ? "SLOWER" : "faster", c.after.time.us,
                   c.before.time.us, c.ratio, c.after.kernel.c_str(), c.after.problem.c_str());
  std::fprintf(out, "beside %s: %zu compared, %zu slower and %zu faster by more than noise\n", o.compare.c_str(), known,
               slower, faster);
  if (known < all.size())
    std::fprintf(stderr,
                 "gpuopt bench: %s not compared: here or in '%s' fewer than %zu samples were taken, by which it is not "
                 "known how far a median may be off\n",
                 counted(static_cast<int64_t>(all.size() - known), "kernel was", "kernels were").c_str(),
                 o.compare.c_str(), gpuopt_measure::Samples::kFew);
  if (all.empty())
    std::fprintf(stderr, "gpuopt bench: '%s' has none of these problems and kernels of this device\n",
                 o.compare.c_str());
  return slower == 0 && known > 0;
}

int bench(const BenchArguments &o) {
  const std::vector<gpuopt_call::Call> calls = calls_of(*o.source);
  std::vector<gpuopt_measure::Row> before;
  if (!o.compare.empty()) before = read_bench_rows(o.compare);
  if (!o.cache.empty()) parse_cache(o.cache);
  const int32_t device = ordinal_of(parse_device(o.device));
  BenchReport report;
  report.data = o.data;
  int code = kOk;
  Progress progress("bench");
  for (size_t i = 0; i < calls.size(); ++i) {
    progress.show(i + 1, calls.size(), text_or_nothing(calls[i]));
    code = std::max(code, bench_call(o, calls[i], device, &report));
  }
  if (!o.compare.empty()) measure_again(o, before, device, &report);
  progress.clear();
  if (report.problems.empty()) {
    return code == kOk ? kFailure : code;
  }
  Json json = bench_json(report);
  if (o.csv) print_bench_csv(json);
  if (!o.csv && !o.json) print_bench_table(report);
  if (!o.compare.empty() && !compare(o, before, report, &json)) code = std::max<int>(code, kFailure);
  if (o.json) print_json(json);
  size_t asked = 0;
  for (const BenchedProblem &p : report.problems) {
    for (const BenchedKernel &k : p.kernels) {
      asked += asked_for(o, k.time.kernel);
      if (!k.time.failure.empty()) code = std::max<int>(code, kFailure);
    }
  }
  if (!o.kernel.empty() && asked == 0) {
    std::fprintf(stderr, "gpuopt bench: no kernel that --kernel '%s' names can run here\n", o.kernel.c_str());
    code = std::max<int>(code, kFailure);
  }
  return code;
}

}  // namespace

void add_bench(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<BenchArguments>();
  CLI::App *verb = app.add_subcommand("bench", "Every kernel that can run a problem, timed");
  const auto more = [o](CLI::App *v) {
    add_plugin_option(v);
    v->add_option("--kernel", o->kernel, "Only kernels that match one of these globs, beside the chosen one");
    add_choice(v, &o->force, &o->tune_cache);
    add_device(v, &o->device);
    add_data(v, &o->data);
    v->add_option("--cache", o->cache, "Operands cold (a GPU's default) or resident (the CPU's)");
    add_integer(v, "--repeat", &o->repeat, 1, kMostRepeats,
                "Samples of each kernel, in place of --noise and --seconds");
    add_positive(v, "--noise", &o->noise_percent, "Measure until medians are known to so many percent (1)");
    add_positive(v, "--seconds", &o->seconds, "... or for so long, each kernel (1)");
    add_positive(v, "--within", &o->within,
                 "Leave out kernels predicted to take more than so many times the chosen one's time (100)");
    v->add_option("--algorithms", o->algorithms,
                  "Of libraries' algorithms beside their own choice: the best (the default), all, none")
        ->check(CLI::IsMember({"best", "all", "none"}));
    v->add_option("--compare", o->compare, "What an earlier bench --json wrote: names what became slower");
    add_formats(v, &o->json, &o->csv);
  };
  add_call_source(verb, o->source, more, [o, exit_code] { *exit_code = bench(*o); });
}

}  // namespace gpuopt_cli
