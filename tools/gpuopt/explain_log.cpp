// `gpuopt explain --log`: what the calls of an application's log would get here, or on another device.
#include <cstdio>

#include "commands.h"
#include "explain.h"
#include "log_text.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

constexpr size_t kShown = 20;

struct Chosen {
  std::string kernel;
  double predicted_us = 0;
};

void take_chosen(void *user, const gpuopt_candidate *c) {
  if (c->verdict == GPUOPT_VERDICT_CHOSEN) *static_cast<Chosen *>(user) = {c->kernel, c->predicted_us};
}

}  // namespace

int explain_log(const ExplainOptions &o) {
  const gpuopt_log::LogSum sum = parse_log("--log", o.log);
  Explainer explainer(o);
  const gpuopt_device_facts &facts = explainer.facts();
  const size_t wanted = o.top             ? static_cast<size_t>(o.top)
                        : o.json || o.csv ? sum.problems.size()
                                          : kShown,
               shown = std::min(wanted, sum.problems.size());
  Table table({"calls", "ms", "in the log", "median us", "here", "predicted us", "problem"});
  for (const size_t column : {0, 1, 3, 5}) table.align_right(column);
  Json rows = Json::array();
  bool all_run = true;
  for (size_t i = 0; i < shown; ++i) {
    const gpuopt_log::ProblemCalls &p = sum.problems[i];
    const gpuopt_log::KernelCalls &most = p.kernels.front();
    const bool timed = most.median.count() > 0;
    Chosen chosen;
    const gpuopt_status s = explainer.explain(parse_call("--log", p.problem), take_chosen, &chosen);
    const bool runs = s == GPUOPT_OK;
    all_run = all_run && runs;
    const bool predicted = chosen.predicted_us > 0;
    table.add({std::to_string(p.calls()), timed ? formatted(p.ms(), "%.3f") : "-", most.kernel,
               timed ? formatted(most.median.value(), "%.2f") : "-", runs ? chosen.kernel : gpuopt_status_name(s),
               predicted ? formatted(chosen.predicted_us, "%.2f") : "-", p.problem});
    Json row;
    row["problem"] = p.problem;
    row["calls"] = p.calls();
    row["ms"] = p.ms();
    row["log_device"] = p.device;
    row["log_kernel"] = most.kernel;
    row["log_median_us"] = most.median.value();
    row["status"] = gpuopt_status_name(s);
    row["error"] = runs ? "" : gpuopt_last_error();
    row["kernel"] = chosen.kernel;
    row["predicted_us"] = predicted ? chosen.predicted_us : 0;
    rows.push_back(std::move(row));
  }
  if (o.json) {
    Json all;
    all["device"] = facts.name;
    all["log"] = log_counts(sum);
    all["problems"] = std::move(rows);
    print_json(all);
  } else if (o.csv) {
    print_csv(rows);
  } else {
    for (const std::string &sentence : log_sentences(sum)) std::printf("%s\n", sentence.c_str());
    std::printf("here: %s\n\n", facts.name);
    if (shown > 0) table.print();
    if (shown < sum.problems.size())
      std::printf("%zu more that took less time: --top shows them\n", sum.problems.size() - shown);
  }
  if (sum.problems.empty()) std::fprintf(stderr, "gpuopt explain: the log has no call to explain\n");
  return all_run && !sum.problems.empty() ? kOk : kFailure;
}

}  // namespace gpuopt_cli
