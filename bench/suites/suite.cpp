#include "suite.h"

#include <algorithm>
#include <cstdio>

#include "../core/error.h"
#include "../core/globs.h"
#include "../core/stop.h"
#include "against_judge.h"
#include "gpuopt_call/text.h"

namespace gpuopt_bench {
namespace {

constexpr double kLongestGraphCallUs = 150;  // beyond it a launch is under 1 % of the call

void add_rows(Context &context, const Case &c, Mode mode, const std::vector<Timing> &timings) {
  double peer_us = 0, ceiling_us = c.ceiling_us;
  std::string best_peer;
  for (size_t i = 0; i < timings.size(); ++i) {
    const double us = timings[i].median_us;
    if (!timings[i].ok() || us <= 0) continue;
    if (c.roles[i] == Role::peer && (peer_us == 0 || us < peer_us)) {
      peer_us = us;
      best_peer = c.contenders[i].name;
    }
    if (c.roles[i] == Role::ceiling && (ceiling_us == 0 || us < ceiling_us)) ceiling_us = us;
  }
  for (size_t i = 0; i < timings.size(); ++i) {
    Row r = row_of(c, mode);
    r.contender = c.contenders[i].name;
    r.kernel = c.kernels[i];
    r.role = c.roles[i];
    if (r.role == Role::automatic || r.role == Role::kernel) {
      r.call = c.call;
      r.predicted_us = c.predicted_us[i];
    }
    r.timing = timings[i];
    r.unit = c.is_flops ? "TFLOP/s" : "GB/s";
    if (r.timing.ok() && r.timing.median_us > 0) {
      r.rate = c.work / r.timing.median_us * (c.is_flops ? 1e-6 : 1e-3);
      if (r.role == Role::automatic || r.role == Role::kernel) {
        r.best_peer = best_peer;
        r.against_peer = peer_us / r.timing.median_us;
      }
      r.against_ceiling = ceiling_us / r.timing.median_us;
    }
    if (!r.timing.ok())
      std::printf("%-52s %s %-30s refused: %s\n", c.label().c_str(), word(mode), r.contender.c_str(),
                  r.timing.failure.c_str());
    else
      std::printf(
          "%-52s %s %-30s %10.2f us [%.2f, %.2f] %8.4g %s%s%s\n", c.label().c_str(), word(mode),
          (r.kernel.empty() ? r.contender : r.contender + ":" + r.kernel).c_str(), r.timing.median_us, r.timing.p10_us,
          r.timing.p90_us, r.rate, r.unit.c_str(),
          r.against_peer > 0 ? ("  x peer " + std::to_string(r.against_peer).substr(0, 5)).c_str() : "",
          r.against_ceiling > 0 ? ("  of ceiling " + std::to_string(r.against_ceiling).substr(0, 5)).c_str() : "");
    context.record.rows.push_back(std::move(r));
  }
  std::fflush(stdout);
}

}  // namespace

void Case::add(Role role, Contender contender, std::string kernel, double predicted) {
  contenders.push_back(std::move(contender));
  roles.push_back(role);
  kernels.push_back(std::move(kernel));
  predicted_us.push_back(predicted);
}

void Case::add(Role role, std::vector<Contender> list) {
  for (Contender &c : list) add(role, std::move(c));
}

void Case::add_library(Context &context, const LibraryCall &library_call) {
  call = gpuopt_call::text_of(gpuopt_call::call_of(library_call->front().get()));
  const std::vector<AbleKernel> able = context.library.able_kernels(library_call);
  const AbleKernel chosen = chosen_of(able);
  add(Role::automatic, context.library.automatic(library_call), chosen.kernel, chosen.predicted_us);
  if (context.other != nullptr)
    add(Role::peer, other_build(*context.other, library_call), context.other->chosen(library_call->front().get()));
  if (!context.options.all_kernels) return;
  for (const AbleKernel &a : able)
    if (!a.chosen && wanted(context.options, a.kernel))
      add(Role::kernel, context.library.forced(library_call, a.kernel), a.kernel, a.predicted_us);
}

Case named_case(std::string suite, std::string shape, std::string type, std::string detail) {
  Case c;
  c.suite = std::move(suite);
  c.shape = std::move(shape);
  c.type = std::move(type);
  c.detail = std::move(detail);
  return c;
}

Row row_of(const Case &c, Mode mode) {
  Row r;
  r.suite = c.suite;
  r.shape = c.shape;
  r.type = c.type;
  r.detail = c.detail;
  r.mode = mode;
  r.cache = c.cache;
  r.problem = c.problem;
  r.call = c.call;
  return r;
}

bool wanted(const Options &options, const std::string &kernel) { return matches(options.kernels, kernel); }

bool left_out(const Context &context, const Case &c, bool quick_row) {
  if (stop_asked()) return true;
  if (context.options.quick && !quick_row && context.options.shapes.empty()) return true;
  return c.label().find(context.options.filter) == std::string::npos;
}

std::vector<Timing> measure_case(Context &context, const Case &c, Mode mode) {
  MeasureOptions o;
  o.mode = mode;
  o.cache = c.cache;
  o.sets = c.operands->sets();
  o.bytes_per_set = c.bytes_per_call;
  o.budget_ms = context.options.quick ? 20 : c.budget_ms;
  o.most = context.options.quick ? 41 : 101;
  return measure_against(context, c.contenders, o);
}

std::vector<Timing> measure_against(Context &context, const std::vector<Contender> &contenders,
                                    const MeasureOptions &options) {
  std::vector<Timing> timings = context.session.measure(contenders, options);
  const auto other =
      std::find_if(contenders.begin(), contenders.end(), [](const Contender &c) { return c.name == kOtherBuild; });
  if (other == contenders.end() || other == contenders.begin()) return timings;
  const auto at = static_cast<size_t>(other - contenders.begin());
  if (!is_slower(timings[at - 1], timings[at])) return timings;
  std::vector<std::vector<Timing>> three;
  for (int again = 0; again < 3; ++again) three.push_back(context.session.measure(contenders, options));
  return three[middle_of_three(three, at - 1)];
}

void run_mode(Context &context, const Case &c, Mode mode) {
  add_rows(context, c, mode, measure_case(context, c, mode));
}

void run_case(Context &context, const Case &c) {
  const std::vector<Timing> single = measure_case(context, c, Mode::single);
  add_rows(context, c, Mode::single, single);
  double least = 0;
  for (const Timing &t : single)
    if (t.ok() && (least == 0 || t.median_us < least)) least = t.median_us;
  if (least == 0 || least > kLongestGraphCallUs) return;
  Case graph = c;  // without contenders that are too slow to be called 64 times for a sample
  graph.contenders.clear();
  graph.roles.clear();
  graph.kernels.clear();
  graph.predicted_us.clear();
  for (size_t i = 0; i < single.size(); ++i)
    if (single[i].ok() && single[i].median_us < (c.roles[i] == Role::kernel ? 1 : 8) * kLongestGraphCallUs)
      graph.add(c.roles[i], c.contenders[i], c.kernels[i], c.predicted_us[i]);
  add_rows(context, graph, Mode::graph, measure_case(context, graph, Mode::graph));
}

void run_plan(Context &context, const Plan &plan) {
  if (left_out(context, plan.names, plan.quick)) return;
  Case c = plan.names;
  try {
    plan.build(context, &c);
    if (plan.single_only)
      run_mode(context, c, Mode::single);
    else
      run_case(context, c);
  } catch (const Refused &refused) {
    report_left_out(c, refused.what());
  }
}

void report_left_out(const Case &c, const std::string &reason) {
  std::printf("%-52s left out: %s\n", c.label().c_str(), reason.c_str());
}

void add_failure(Context &context, const Case &c, const std::string &reason, Mode mode, const std::string &kernel) {
  Row r = row_of(c, mode);
  r.contender = kernel.empty() ? "gpuopt" : "gpuopt:" + kernel;
  r.kernel = kernel;
  r.role = kernel.empty() ? Role::automatic : Role::kernel;
  r.timing.failure = reason;
  context.record.rows.push_back(std::move(r));
}

void add_check(Context &context, const std::string &name, double value, double limit, const std::string &unit) {
  const bool ok = value <= limit;  // NaN fails
  context.record.checks.push_back({name, value, limit, unit, ok});
  std::printf("%-4s  %s: %.3g %s, limit %.3g %s\n", ok ? "ok" : "FAIL", name.c_str(), value, unit.c_str(), limit,
              unit.c_str());
  std::fflush(stdout);
}

std::string shape_text(int64_t a, int64_t b, int64_t c) {
  return std::to_string(a) + "x" + std::to_string(b) + (c >= 0 ? "x" + std::to_string(c) : "");
}

}  // namespace gpuopt_bench
