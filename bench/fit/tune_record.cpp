#include "tune_record.h"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "../core/counts.h"
#include "../core/explain_on.h"
#include "../core/globs.h"
#include "../core/record_read.h"
#include "choice_text.h"
#include "fit.h"
#include "gpuopt/kernel.h"
#include "gpuopt_call/text.h"
#include "merge.h"

namespace gpuopt_bench {
namespace {

std::string chosen_for(const RecordedProblem &p, const gpuopt_device_facts &facts, gpuopt_handle *handle) {
  gpuopt_call::Call call = gpuopt_call::read_call(p.call);
  const gpuopt_explain_options o = explain_on(facts);
  std::string chosen;
  const auto take = [](void *user, const gpuopt_candidate *c) {
    if (c->verdict == GPUOPT_VERDICT_CHOSEN) *static_cast<std::string *>(user) = c->kernel;
  };
  gpuopt_explain(handle, call.args(), &o, take, &chosen);
  return chosen;
}

bool has_kernels(const std::string &name) {
  const gpuopt_tune::NameParts parts = gpuopt_tune::parts_of(name);
  return gpuopt_kernel_find(parts.kernel.c_str()) != nullptr &&
         (parts.second.empty() || gpuopt_kernel_find(parts.second.c_str()) != nullptr);
}

// Of the halves of all splits one is other than those of another split.
bool in_tuned_half(const std::string &call, int split) { return held_out(std::to_string(split) + " " + call, 50); }

void set_tune_cache(gpuopt_handle *handle, const std::string &path) {
  if (gpuopt_set_tune_cache(handle, path.c_str()) != GPUOPT_OK) throw std::runtime_error(gpuopt_last_error());
}

struct Sum {
  TuneJudged judged;
  double logs = 0, possible = 0;
  void add(double untuned_us, double tuned_us, double best_us, bool changed) {
    ++judged.problems;
    judged.changed += changed;
    const double ratio = untuned_us / tuned_us;
    judged.least = judged.problems == 1 ? ratio : std::min(judged.least, ratio);
    logs += std::log(ratio);
    possible += std::log(untuned_us / best_us);
    judged.mean = std::exp(logs / judged.problems);
    judged.possible = std::exp(possible / judged.problems);
  }
};

}  // namespace

std::vector<RecordedProblem> recorded_problems(const Record &record, gpuopt_handle *handle,
                                               const TuneRecordOptions &options) {
  std::vector<RecordedProblem> all;
  const gpuopt_explain_options o = explain_on(record.facts);
  for (const MeasuredProblem &m : measured_problems(record.rows)) {
    if (!options.ops.empty() && std::find(options.ops.begin(), options.ops.end(), m.op) == options.ops.end()) continue;
    RecordedProblem p = {m.op, m.call, "", {}};
    for (const Candidate &c : m.candidates)
      if (c.measured_us > 0 && has_kernels(c.kernel) && matches(options.kernels, c.kernel))
        p.us[c.kernel] = c.measured_us;
    if (p.us.empty()) continue;
    char key[GPUOPT_TUNE_KEY_BYTES];
    size_t length = 0;
    try {
      gpuopt_call::Call call = gpuopt_call::read_call(m.call);
      if (gpuopt_tune_key(handle, call.args(), &o, GPUOPT_TUNE_EXACT, key, sizeof key, &length) != GPUOPT_OK) continue;
    } catch (const gpuopt_call::BadCallText &) {
      continue;
    }
    p.exact_key = key;
    all.push_back(std::move(p));
  }
  return all;
}

std::vector<TuneJudged> judge_halves(const std::vector<RecordedProblem> &problems, const gpuopt_device_facts &facts,
                                     int splits, const std::string &path, gpuopt_handle *handle) {
  set_tune_cache(handle, "none");
  std::vector<std::string> untuned;
  for (const RecordedProblem &p : problems) untuned.push_back(chosen_for(p, facts, handle));
  std::map<std::string, Sum> sums;
  sums["all"];
  for (int split = 0; split < splits; ++split) {
    std::vector<gpuopt_tune::Entry> entries;
    for (const RecordedProblem &p : problems)
      if (in_tuned_half(p.call, split)) entries.push_back(gpuopt_tune::measured_entry(p.exact_key, p.us));
    ::unlink(path.c_str());
    const std::string fault = gpuopt_tune::merge_into(path, entries).fault;
    if (!fault.empty()) throw std::runtime_error("'" + path + "': " + fault);
    set_tune_cache(handle, path);
    for (size_t i = 0; i < problems.size(); ++i) {
      const RecordedProblem &p = problems[i];
      if (in_tuned_half(p.call, split)) continue;
      const std::string tuned = chosen_for(p, facts, handle);
      const auto before = p.us.find(untuned[i]), after = p.us.find(tuned);
      if (before == p.us.end() || after == p.us.end()) continue;  // this build chooses what was not measured
      double best = before->second;
      for (const auto &t : p.us) best = std::min(best, t.second);
      for (const std::string &op : {p.op, std::string("all")})
        sums[op].add(before->second, after->second, best, tuned != untuned[i]);
    }
  }
  set_tune_cache(handle, "none");
  ::unlink(path.c_str());
  std::vector<TuneJudged> all;
  for (auto &s : sums) {
    s.second.judged.op = s.first;
    all.push_back(s.second.judged);
  }
  std::stable_partition(all.begin(), all.end(), [](const TuneJudged &j) { return j.op != "all"; });
  return all;
}

namespace {

int usage(const std::string &message) {
  std::fprintf(stderr,
               "gpuopt_bench %s\n"
               "gpuopt_bench tune RECORD [--tune-cache FILE] [--judge SPLITS] [--ops A,B] [--kernels GLOB,...]\n",
               message.c_str());
  return 2;
}

void report(const TuneRecordOptions &o, const Record &record, gpuopt_handle *handle) {
  const std::vector<RecordedProblem> problems = recorded_problems(record, handle, o);
  if (problems.empty())
    throw std::runtime_error("the record has no problem of the suite selection that this build knows");
  if (o.splits > 0) {
    const std::string path = "gpuopt_tune_record_" + std::to_string(::getpid()) + ".tune";
    std::printf("%-10s %8s %8s %10s %10s %10s\n", "op", "judged", "changed", "mean", "least", "possible");
    for (const TuneJudged &j : judge_halves(problems, record.facts, o.splits, path, handle))
      std::printf("%-10s %8d %8d %10.4f %10.4f %10.4f\n", j.op.c_str(), j.problems, j.changed, j.mean, j.least,
                  j.possible);
  }
  if (o.tune_cache.empty()) return;
  std::vector<gpuopt_tune::Entry> entries;
  for (const RecordedProblem &p : problems) entries.push_back(gpuopt_tune::measured_entry(p.exact_key, p.us));
  const gpuopt_tune::Merged merged = gpuopt_tune::merge_into(o.tune_cache, entries);
  if (!merged.fault.empty()) throw std::runtime_error("'" + o.tune_cache + "': " + merged.fault);
  std::printf("%s: %zu entries added, %zu replaced\n", o.tune_cache.c_str(), merged.added, merged.replaced);
}

}  // namespace

int run_tune_record(const std::vector<std::string> &arguments) {
  TuneRecordOptions options;
  std::string path;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &name = arguments[i];
    if (name == "--tune-cache" || name == "--judge" || name == "--ops" || name == "--kernels") {
      if (++i == arguments.size()) return usage("tune: " + name + " needs a value");
      const std::string &value = arguments[i];
      if (name == "--tune-cache") options.tune_cache = value;
      if (name == "--ops") options.ops = comma_list(value);
      if (name == "--kernels") options.kernels = comma_list(value);
      if (name != "--judge") continue;
      if (!read_count(value, 1, 1000, &options.splits))
        return usage("tune: --judge: '" + value + "' must be 1 to 1000");
    } else if (name.rfind("--", 0) == 0 || !path.empty()) {
      return usage("tune: '" + name + "' is not known");
    } else {
      path = name;
    }
  }
  if (path.empty()) return usage("tune needs a record");
  gpuopt_handle *handle = nullptr;
  int code = 0;
  try {
    const Record record = read_record(path);
    if (record.facts.struct_size == 0)
      throw std::runtime_error("the record is from before records told their device's facts");
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    o.tune_cache = "none";
    o.verbose = "none";
    if (gpuopt_create(&handle, &o) != GPUOPT_OK) throw std::runtime_error(gpuopt_last_error());
    report(options, record, handle);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "gpuopt_bench tune: %s\n", e.what());
    code = 1;
  }
  gpuopt_destroy(handle);
  return code;
}

}  // namespace gpuopt_bench
