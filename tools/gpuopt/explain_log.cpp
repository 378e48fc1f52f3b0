// `gpuopt explain --log`: what the calls of an application's log would get here, or on another device.
#include <cstdio>

#include "commands.h"
#include "explain.h"
#include "log_text.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

constexpr size_t kShownCalls = 20;

}  // namespace

int explain_log(const ExplainOptions &o) {
  const gpuopt_log::LogSum sum = parse_log("--log", o.log);
  Explainer explainer(o);
  const gpuopt_device_facts &facts = explainer.facts();
  const size_t wanted = o.top             ? static_cast<size_t>(o.top)
                        : o.json || o.csv ? sum.problems.size()
                                          : kShownCalls,
               shown = std::min(wanted, sum.problems.size());
  Table table({"calls", "ms", "in the log", "median us", "here", "predicted us", "problem"});
  for (const size_t column : {0, 1, 3, 5}) table.align_right(column);
  Json rows = Json::array();
  bool all_run = true;
  std::string note;  // of the first problem that has one
  for (size_t i = 0; i < shown; ++i) {
    const gpuopt_log::ProblemCalls &p = sum.problems[i];
    const gpuopt_log::KernelCalls &most = p.kernels.front();
    const bool timed = most.median.count() > 0;
    Verdicts verdicts;
    const gpuopt_status s = explainer.explain(parse_call("--log", p.problem), Verdicts::take, &verdicts);
    const bool runs = s == GPUOPT_OK;
    const std::string error = runs ? "" : gpuopt_last_error();
    verdicts.sort();
    if (note.empty()) note = explainer.note(verdicts);
    const Verdict chosen = verdicts.chosen() ? *verdicts.chosen() : Verdict();
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
    row["error"] = error;
    row["kernel"] = chosen.kernel;
    row["predicted_us"] = predicted ? chosen.predicted_us : 0;
    rows.push_back(std::move(row));
  }
  if (o.json) {
    Json all;
    all["device"] = facts.name;
    all["note"] = note;
    all["log"] = log_counts(sum);
    all["problems"] = std::move(rows);
    print_json(all);
  } else if (o.csv) {
    print_csv(rows);
  } else {
    for (const std::string &sentence : log_sentences(sum)) std::printf("%s\n", sentence.c_str());
    std::printf("here: %s\n", facts.name);
    if (!note.empty()) std::printf("%s\n", painted(note, Style::strong).c_str());
    std::printf("\n");
    if (shown > 0) table.print();
    if (shown < sum.problems.size())
      std::printf("%zu more that took less time: --top shows them\n", sum.problems.size() - shown);
  }
  if (sum.problems.empty()) std::fprintf(stderr, "gpuopt explain: the log has no call to explain\n");
  return all_run && !sum.problems.empty() ? kOk : kFailure;
}

}  // namespace gpuopt_cli
