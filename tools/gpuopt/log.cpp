// `gpuopt log FILE`: an application's log summed up by problem - what ran, how long, how far from its bound and from its
// prediction, and what tuning could win as far as the log knows.
#include <cstdio>
#include <map>
#include <memory>

#include "commands.h"
#include "common_options.h"
#include "gpuopt_call/bound.h"
#include "gpuopt_call/text.h"
#include "gpuopt_call/work.h"
#include "log_text.h"
#include "numbers.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

using gpuopt_log::DeviceFacts;
using gpuopt_log::FactsOf;
using gpuopt_log::KernelCalls;
using gpuopt_log::LogSum;
using gpuopt_log::ProblemCalls;

constexpr size_t kShownProblems = 20;

struct LogArguments {
  std::string path;
  int64_t top = 0;  // 0: 20, in JSON all
  bool json = false, csv = false;
};

// "predicted"; with several, how many calls each.
std::string how_text(const KernelCalls &k) {
  if (k.how.size() == 1) return k.how.begin()->first;
  std::string text;
  for (const auto &how : k.how) text += (text.empty() ? "" : " ") + std::to_string(how.second) + " " + how.first;
  return text;
}

// What a problem is: read from its text, once for each.
struct Work {
  gpuopt_call::Bound bound;
  int64_t bytes = 0;
  double flops = 0;
};
Work work_of(const ProblemCalls &p, const gpuopt_device_facts &facts) {
  gpuopt_call::Call call = gpuopt_call::read_call(p.problem);
  return {gpuopt_call::bound_of(&call, facts), gpuopt_call::touched_bytes(&call), gpuopt_call::flops_of(call)};
}

void add_rows(const ProblemCalls &p, const Work &work, double all_ms, Table *table) {
  bool first = true;
  for (const KernelCalls &k : p.kernels) {
    const bool timed = k.median.count() > 0;
    const double us = k.median.value();
    const auto ratio = [&](double to) { return timed && to > 0 ? formatted(us / to, "%.2f") : "-"; };
    table->add({std::to_string(k.calls), timed ? formatted(k.ms, "%.3f") : "-",
                timed && all_ms > 0 ? formatted(100 * k.ms / all_ms, "%.1f") : "-", timed ? formatted(us, "%.2f") : "-",
                formatted(static_cast<double>(work.bytes) * 1e-6, "%.4g"),
                work.flops > 0 ? formatted(work.flops * 1e-9, "%.4g") : "-", ratio(work.bound.us), work.bound.by,
                ratio(k.predicted_us), k.kernel, how_text(k), first ? p.problem : "  the same"});
    first = false;
  }
}

// Whose facts bounds are of, and what tuning could win.
void print_footing(const LogSum &sum, const std::map<std::string, DeviceFacts> &devices) {
  for (const auto &d : devices) {
    const gpuopt_device_facts &f = d.second.facts;
    if (f.memory_gbs <= 0)
      std::printf("%s: no facts of its memory and units, so no bounds\n", d.first.c_str());
    else
      std::printf("%s: bounds by %.0f GB/s and %d SMs at %.0f MHz, %s %s\n", d.first.c_str(), f.memory_gbs, f.sm_count,
                  f.clock_mhz,
                  d.second.source == FactsOf::log ? "as the log says of" : "no device line: as if it were a", f.name);
  }
  const double win = sum.could_win_ms(), all = sum.ms();
  if (win > 0)
    std::printf(
        "tuning could win %.3f ms of %.3f (%.1f %%), as far as this log knows: other kernels that it saw took less\n",
        win, all, 100 * win / all);
  else
    std::printf("tuning: this log saw no other kernel take less; forced runs of the same calls would tell more\n");
}

Json json_of(const ProblemCalls &p, const Work &work) {
  const KernelCalls *const best = p.best();
  Json j;
  j["device"] = p.device;
  j["problem"] = p.problem;
  j["calls"] = p.calls();
  j["ms"] = p.ms();
  j["bytes"] = work.bytes;
  j["flops"] = work.flops;
  j["bound_us"] = work.bound.us;
  j["bound_by"] = work.bound.by;
  j["best_kernel"] = best ? best->kernel : "";
  j["could_win_ms"] = p.could_win_ms();
  for (const KernelCalls &k : p.kernels) {
    Json row;
    row["kernel"] = k.kernel;
    row["calls"] = k.calls;
    row["how"] = k.how;
    row["timed_calls"] = k.median.count();
    row["ms"] = k.ms;
    row["median_us"] = k.median.value();
    row["predicted_us"] = k.predicted_us;
    row["over_bound"] = work.bound.us > 0 ? k.median.value() / work.bound.us : 0;
    row["over_predicted"] = k.predicted_us > 0 ? k.median.value() / k.predicted_us : 0;
    j["kernels"].push_back(std::move(row));
  }
  return j;
}

Json json_of(const std::string &label, const DeviceFacts &d) {
  static const char *const sources[] = {"log", "pretended", "nobody"};
  return {{"device", label},
          {"name", d.facts.name},
          {"facts_of", sources[static_cast<int>(d.source)]},
          {"sm_count", d.facts.sm_count},
          {"clock_mhz", d.facts.clock_mhz},
          {"memory_gbs", d.facts.memory_gbs}};
}

int sum_up(const LogArguments &o) {
  const LogSum sum = parse_log("FILE", o.path);
  std::map<std::string, DeviceFacts> devices;
  for (const ProblemCalls &p : sum.problems)
    if (devices.count(p.device) == 0) devices[p.device] = sum.facts_of(p.device);
  const size_t wanted = o.top             ? static_cast<size_t>(o.top)
                        : o.json || o.csv ? sum.problems.size()
                                          : kShownProblems,
               shown = std::min(wanted, sum.problems.size());
  Table table(
      {"calls", "ms", "%", "median us", "MB", "GFLOP", "x bound", "bound", "x predicted", "kernel", "how", "problem"});
  for (const size_t column : {0, 1, 2, 3, 4, 5, 6, 8}) table.align_right(column);
  Json all = log_counts(sum);
  all["ms"] = sum.ms();
  all["could_win_ms"] = sum.could_win_ms();
  all["devices"] = Json::array();
  for (const auto &d : devices) all["devices"].push_back(json_of(d.first, d.second));
  all["problems"] = Json::array();
  for (size_t i = 0; i < shown; ++i) {
    const ProblemCalls &p = sum.problems[i];
    const Work work = work_of(p, devices[p.device].facts);
    if (o.json || o.csv)
      all["problems"].push_back(json_of(p, work));
    else
      add_rows(p, work, sum.ms(), &table);
  }
  if (o.json) {
    print_json(all);
  } else if (o.csv) {
    print_csv(rows_below(all["problems"], {"device", "problem", "bytes", "flops", "bound_us", "bound_by"}, "kernels"));
  } else {
    for (const std::string &sentence : log_sentences(sum)) std::printf("%s\n", sentence.c_str());
    if (shown > 0) {
      std::printf("\n");
      table.print();
      if (shown < sum.problems.size())
        std::printf("%zu more that took less time: --top shows them\n", sum.problems.size() - shown);
      std::printf("\n");
      print_footing(sum, devices);
    }
  }
  if (sum.calls == 0) std::fprintf(stderr, "gpuopt log: no call to sum up: GPUOPT_VERBOSE=exec writes them\n");
  return sum.calls > 0 ? kOk : kFailure;
}

}  // namespace

void add_log(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<LogArguments>();
  CLI::App *verb = app.add_subcommand("log", "An application's log summed up by problem");
  verb->add_option("FILE", o->path, "What GPUOPT_LOG_FILE named; -: standard input")->required();
  add_integer(verb, "--top", &o->top, 1, kMostExtent, "So many problems, most time first (20; in JSON and CSV all)");
  add_formats(verb, &o->json, &o->csv, "As CSV, a line for each kernel of a problem");
  verb->callback([o, exit_code] { *exit_code = sum_up(*o); });
}

}  // namespace gpuopt_cli
