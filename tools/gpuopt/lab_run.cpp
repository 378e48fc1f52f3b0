#include "lab_run.h"

#include <algorithm>
#include <chrono>

#include "bench_timer.h"
#include "deviation.h"
#include "explain.h"
#include "forced_time.h"
#include "gpuopt/kernel.h"
#include "gpuopt_call/bound.h"
#include "gpuopt_call/text.h"
#include "numbers.h"
#include "operand_fill.h"
#include "samples.h"
#include "session.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

using gpuopt_lab::Experiment;
using gpuopt_lab::Kind;
using gpuopt_lab::Metric;

constexpr const char kOnCpu[] = "cpu:";
constexpr double kTruthStepsOfRun = 1e8;  // some rows of a large product: a fifth of a second

bool on_cpu(const gpuopt_lab::Run &run) { return run.kernel.rfind(kOnCpu, 0) == 0; }
std::string forced_of(const gpuopt_lab::Run &run) {
  return on_cpu(run) ? run.kernel.substr(sizeof kOnCpu - 1) : run.kernel;
}

gpuopt_device_facts facts_of(const LabOptions &options) {
  ExplainOptions e;
  e.device = options.device;
  return Explainer(e).facts();
}

}  // namespace

bool LabResult::is_empty() const {
  return lines.empty() && std::none_of(runs.begin(), runs.end(), [](const LabRun &run) { return run.us > 0; });
}

Lab::Lab(const LabOptions &options)
    : options_(options),
      ordinal_(ordinal_of(parse_device(options.device))),
      facts_(facts_of(options)),
      ncu_(options.ncu, facts_, options.device) {}

LabResult Lab::run(const Experiment &e) {
  LabResult result;
  result.experiment = &e;
  if (e.kind == Kind::bytes_in_flight || e.kind == Kind::latencies) {
    if (facts_.cc != 0)
      result.lines = e.kind == Kind::latencies ? lab_latencies(ordinal_) : lab_bytes_in_flight(ordinal_);
    if (result.lines.empty())
      result.note = facts_.cc == 0 ? "needs a GPU" : "needs a build with the benchmarks' timer";
    else
      result.verdict = gpuopt_lab::Verdict::shown;
    return result;
  }
  time_runs(e, &result);
  try {
    if (e.kind == Kind::transfer) transfer(&result);
    if (e.errors) find_errors(&result);
  } catch (const std::runtime_error &bad) {
    result.note = bad.what();
  }
  const double before = result.runs[e.before].us, after = result.runs[e.after].us;
  if (before > 0 && after > 0) result.ratio = before / after;
  result.verdict = gpuopt_lab::judge(e.claimed, result.ratio);
  if (e.of_bound && facts_.cc != 0) {
    gpuopt_call::Call call = gpuopt_call::read_call(e.runs[0].problem);
    const double least = gpuopt_call::bound_of(&call, facts_).us;
    for (LabRun &run : result.runs)
      if (run.us > 0 && least > 0) run.of_bound = least / run.us;
  }
  for (LabRun &run : result.runs) describe(e, &run);
  return result;
}

// Runs on the same operands share them, and take turns.
void Lab::time_runs(const Experiment &e, LabResult *result) {
  for (const gpuopt_lab::Run &run : e.runs) {
    result->runs.emplace_back();
    result->runs.back().run = &run;
  }
  std::vector<std::pair<std::string, std::vector<LabRun *>>> groups;
  for (LabRun &run : result->runs) {
    if (run.run->problem.find(';') != std::string::npos) {
      time_sequence(&run);
      continue;
    }
    const std::string key = run.run->problem + "|" + run.run->data + (on_cpu(*run.run) ? "|cpu" : "");
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto &g) { return g.first == key; });
    if (same == groups.end())
      groups.push_back({key, {&run}});
    else
      same->second.push_back(&run);
  }
  for (const auto &group : groups) time_group(group.second);
}

void Lab::time_group(const std::vector<LabRun *> &group) {
  const gpuopt_lab::Run &first = *group[0]->run;
  const gpuopt_call::Call call = gpuopt_call::read_call(first.problem);
  const bool cpu = on_cpu(first);
  const std::string device = cpu ? "cpu" : options_.device;
  const ShortTimer how = {cpu ? GPUOPT_DEVICE_CPU : ordinal_, options_.seconds, first.data, !cpu && ordinal_ >= 0};
  std::vector<std::string> kernels;
  std::vector<LabRun *> able;
  for (LabRun *run : group) {
    run->device = cpu ? "CPU" : facts_.name;
    run->kernel = kernel_for(call, forced_of(*run->run), device, &run->failure);
    if (run->kernel.empty()) continue;
    able.push_back(run);
    kernels.push_back(run->kernel);
  }
  if (able.empty()) return;
  std::vector<KernelTime> times;
  try {
    times = time_kernels(call, kernels, how);
  } catch (const std::exception &bad) {
    for (LabRun *run : able) run->failure = bad.what();
    return;
  }
  for (size_t i = 0; i < able.size(); ++i) {
    able[i]->us = us_of(times[i]);
    able[i]->noise = times[i].time.noise;
    able[i]->failure = times[i].failure;
  }
}

// Each by the oracle, on the same data.
void Lab::find_errors(LabResult *result) {
  for (LabRun &run : result->runs) {
    if (run.us <= 0) continue;
    TimerOptions t;
    t.device = on_cpu(*run.run) ? GPUOPT_DEVICE_CPU : ordinal_;
    const std::unique_ptr<gpuopt_handle, void (*)(gpuopt_handle *)> handle(make_handle(t, nullptr), gpuopt_destroy);
    const gpuopt_check::Problem problem = gpuopt_check::problem_of(gpuopt_call::read_call(run.run->problem), t.data, 1);
    gpuopt_check::Session session(handle.get());
    const gpuopt_check::Outcome outcome = session.run(problem, run.kernel);
    if (outcome.status != GPUOPT_OK) continue;
    run.error =
        gpuopt_check::deviation(problem, gpuopt_check::find_truth(problem, kTruthStepsOfRun), outcome.after).relative;
  }
}

// Each call of a sequence is measured alone; their times are added.
void Lab::time_sequence(LabRun *run) {
  const std::vector<std::string> problems = split(run->run->problem, ';'), kernels = split(run->run->kernel, ';');
  double us = 0, noise = 0;
  run->device = facts_.name;
  for (size_t i = 0; i < problems.size(); ++i) {
    const gpuopt_call::Call call = gpuopt_call::read_call(problems[i]);
    const std::string kernel = kernel_for(call, i < kernels.size() ? kernels[i] : "", options_.device, &run->failure);
    if (kernel.empty()) return;
    std::vector<KernelTime> times(1);
    try {
      times = time_kernels(call, {kernel}, {ordinal_, options_.seconds, run->run->data, ordinal_ >= 0});
    } catch (const std::exception &bad) {
      times[0].failure = bad.what();
    }
    run->failure = times[0].failure;
    if (!run->failure.empty()) return;
    us += us_of(times[0]);
    noise += us_of(times[0]) * times[0].time.noise;
    run->kernel += (run->kernel.empty() ? "" : " + ") + kernel;
  }
  run->us = us;
  run->noise = noise / us;
}

// Occupancy and the metric, counted where that can be.
void Lab::describe(const Experiment &e, LabRun *run) {
  const gpuopt_kernel *const k = gpuopt_kernel_find(run->kernel.c_str());
  if (k && run->us > 0 && facts_.cc != 0 && k->resource_count > 0) {
    run->has_occupancy = gpuopt_kernel_occupancy(k, &facts_, 0, &run->occupancy) == GPUOPT_OK;
    run->recommended_threads = lab_recommended_threads(k->resources[0].entry, k->resources[0].dynamic_smem);
  }
  if (e.metric == Metric::none) return;
  if (run->has_occupancy) run->metric = ncu_.count(e.metric, run->run->problem, run->kernel, run->run->data);
  run->counted = run->metric >= 0;
  if (run->counted) return;
  if (e.metric == Metric::occupancy && run->has_occupancy) run->metric = 100 * run->occupancy.occupancy;
  if (run->metric < 0) run->metric = run->run->computed;
}

// Operands from pageable host memory, and the result back, by the host's clock; the product as it was timed.
void Lab::transfer(LabResult *result) {
  TimerOptions t;
  t.device = ordinal_;
  const std::unique_ptr<gpuopt_handle, void (*)(gpuopt_handle *)> handle(make_handle(t, nullptr), gpuopt_destroy);
  for (const LabRun &run : result->runs) {
    if (run.us <= 0) continue;
    const gpuopt_call::Call call = gpuopt_call::read_call(run.run->problem);
    const auto bytes = static_cast<size_t>(call.gemm.d.rows * call.gemm.d.cols * gpuopt_dtype_size(call.gemm.d.dtype));
    std::vector<char> host(bytes, 1);
    void *device = nullptr;
    if (gpuopt_malloc(handle.get(), &device, bytes) != GPUOPT_OK) throw_last_error();
    const auto timed = [&](void *to, const void *from) {
      gpuopt_measure::Samples samples;
      for (int i = 0; i < 7; ++i) {
        gpuopt_synchronize(handle.get());
        const auto start = std::chrono::steady_clock::now();
        const bool copied =
            gpuopt_copy(handle.get(), to, from, bytes) == GPUOPT_OK && gpuopt_synchronize(handle.get()) == GPUOPT_OK;
        if (!copied) throw_last_error();
        if (i > 0)
          samples.add(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
      }
      return samples.quantile(0.5);
    };
    const double in = 2 * timed(device, host.data()), out = timed(host.data(), device);
    gpuopt_free(handle.get(), device);
    result->lines.push_back({run.run->label,
                             {{"operands in us", in},
                              {"product us", run.us},
                              {"result out us", out},
                              {"% of copies", 100 * (in + out) / (in + out + run.us)}}});
  }
}

}  // namespace gpuopt_cli
