// `gpuopt lab` as tables and as JSON.
#include <cstdio>

#include "json.h"
#include "lab_run.h"
#include "occupancy.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

using gpuopt_lab::Experiment;

std::string metric_text(const Experiment &e, const LabRun &run) {
  if (run.metric < 0) return "-";
  const gpuopt_lab::MetricName &name = gpuopt_lab::name_of(e.metric);
  return formatted(run.metric, "%.4g") + (*name.unit ? std::string(" ") + name.unit : "") +
         (run.counted ? "" : " (computed)");
}

std::string occupancy_text(const LabRun &run) {
  if (!run.has_occupancy) return "-";
  const gpuopt_occupancy &o = run.occupancy;
  std::string text = formatted(100 * o.occupancy, "%.0f %% by ") + limiter_text(o.limiter) + ", " +
                     std::to_string(o.registers) + " regs, blocks of " + std::to_string(o.threads);
  if (o.spill_bytes > 0) text += ", spills " + std::to_string(o.spill_bytes) + " B";
  if (run.recommended_threads > 0) text += ", CUDA recommends " + std::to_string(run.recommended_threads);
  return text;
}

std::string kernel_or_automatic(const gpuopt_lab::Run &run) {
  return run.kernel.find_first_not_of(';') == std::string::npos ? "the chosen" : run.kernel;
}

void print_runs(const LabResult &r) {
  const Experiment &e = *r.experiment;
  std::vector<std::string> head = {"", "kernel", "us", "x first"};
  const bool metric = e.metric != gpuopt_lab::Metric::none;
  if (metric) head.push_back(gpuopt_lab::name_of(e.metric).text);
  if (e.errors) head.push_back("error");
  if (e.of_bound) head.insert(head.end(), {"% bound", "lines of code"});
  head.push_back("occupancy");
  Table table(head);
  table.align_right(2);
  table.align_right(3);
  for (size_t i = 0; i < r.runs.size(); ++i) {
    const LabRun &run = r.runs[i];
    std::vector<std::string> row = {run.run->label, run.kernel.empty() ? kernel_or_automatic(*run.run) : run.kernel};
    if (run.us <= 0) {
      row.insert(row.end(), {"-", "-", "not run: " + run.failure});
      table.add(row, Style::faint);
      continue;
    }
    row.push_back(formatted(run.us, "%.2f"));
    row.push_back(r.runs[0].us > 0 ? formatted(r.runs[0].us / run.us, "%.2f") : "-");
    if (metric) row.push_back(metric_text(e, run));
    if (e.errors) row.push_back(run.error >= 0 ? formatted(run.error, "%.2g") : "-");
    if (e.of_bound) {
      row.push_back(run.of_bound >= 0 ? formatted(100 * run.of_bound, "%.1f") : "-");
      row.push_back(run.run->lines > 0 ? std::to_string(run.run->lines) : "-");
    }
    row.push_back(occupancy_text(run));
    table.add(row, i == e.before || i == e.after ? Style::plain : Style::faint);
  }
  table.print();
}

void print_lines(const std::vector<LabLine> &lines) {
  std::vector<std::string> head = {""};
  for (const auto &value : lines[0].values) head.push_back(value.first);
  Table table(head);
  for (size_t c = 1; c < head.size(); ++c) table.align_right(c);
  for (const LabLine &line : lines) {
    std::vector<std::string> row = {line.what};
    for (const auto &value : line.values) row.push_back(formatted(value.second, "%.4g"));
    table.add(row);
  }
  table.print();
}

void print_result(const LabResult &r) {
  const Experiment &e = *r.experiment;
  std::printf("\n%s\n", painted(e.id + "  " + e.technique, Style::strong).c_str());
  std::printf("claim: %s%s\n", e.claim.c_str(), e.claimed > 0 ? formatted(e.claimed, " (x %.3g)").c_str() : "");
  if (!r.runs.empty()) print_runs(r);
  if (!r.lines.empty()) print_lines(r.lines);
  if (!r.note.empty()) std::printf("note: %s\n", r.note.c_str());
  if (r.ratio > 0)
    std::printf("measured: x %.2f, %s against %s\n", r.ratio, e.runs[e.after].label.c_str(),
                e.runs[e.before].label.c_str());
  const bool bad = r.verdict == gpuopt_lab::Verdict::not_run;
  std::printf("verdict: %s%s%s\n", painted(gpuopt_lab::text_of(r.verdict), bad ? Style::bad : Style::good).c_str(),
              gpuopt_lab::disagrees(r.verdict) || r.verdict == gpuopt_lab::Verdict::shown ? ". " : "",
              gpuopt_lab::disagrees(r.verdict) || r.verdict == gpuopt_lab::Verdict::shown ? e.why.c_str() : "");
}

Json json_of(const Experiment &e) {
  Json runs = Json::array();
  for (const gpuopt_lab::Run &run : e.runs)
    runs.push_back({{"label", run.label}, {"kernel", run.kernel}, {"problem", run.problem}, {"data", run.data}});
  const auto label = [&](size_t i) { return i < e.runs.size() ? e.runs[i].label : ""; };
  return {{"id", e.id},
          {"technique", e.technique},
          {"claim", e.claim},
          {"claimed", e.claimed},
          {"before", label(e.before)},
          {"after", label(e.after)},
          {"metric", gpuopt_lab::name_of(e.metric).id},
          {"metric_text", gpuopt_lab::name_of(e.metric).text},
          {"metric_ncu", gpuopt_lab::name_of(e.metric).ncu},
          {"metric_unit", gpuopt_lab::name_of(e.metric).unit},
          {"why", e.why},
          {"runs", std::move(runs)}};
}

Json json_of(const LabRun &run) {
  Json json = {{"label", run.run->label}, {"kernel", run.kernel},  {"problem", run.run->problem},
               {"data", run.run->data},   {"device", run.device},  {"us", run.us},
               {"noise", run.noise},      {"failure", run.failure}};
  if (run.metric >= 0) json["metric"] = {{"value", run.metric}, {"counted", run.counted}};
  if (run.error >= 0) json["error"] = run.error;
  if (run.of_bound >= 0) json["of_bound"] = run.of_bound;
  if (run.run->lines > 0) json["lines_of_code"] = run.run->lines;
  if (run.has_occupancy) {
    const gpuopt_occupancy &o = run.occupancy;
    json["occupancy"] = {{"share", o.occupancy}, {"limiter", limiter_text(o.limiter)}};
    json["occupancy"].update(resources_json(o));
    json["occupancy"]["recommended_threads"] = run.recommended_threads;
  }
  return json;
}

Json json_of(const LabResult &r) {
  Json json = json_of(*r.experiment);
  json["runs"] = Json::array();
  for (const LabRun &run : r.runs) json["runs"].push_back(json_of(run));
  Json lines = Json::array();
  for (const LabLine &line : r.lines) {
    Json values = {{"what", line.what}};
    for (const auto &value : line.values) values[value.first] = value.second;
    lines.push_back(std::move(values));
  }
  json["lines"] = std::move(lines);
  json["measured"] = r.ratio;
  json["verdict"] = gpuopt_lab::text_of(r.verdict);
  json["note"] = r.note;
  return json;
}

}  // namespace

void print_lab_list(bool as_json) {
  Json json = Json::array();
  Table table({"id", "technique", "before", "after", "proved by", "claim"});
  for (const Experiment *each : gpuopt_lab::every_experiment()) {
    const Experiment &e = *each;
    json.push_back(json_of(e));
    const auto kernel = [&](size_t i) { return i < e.runs.size() ? kernel_or_automatic(e.runs[i]) : "-"; };
    const std::string metric = gpuopt_lab::name_of(e.metric).text;
    table.add({e.id, e.technique, kernel(e.before), kernel(e.after), metric.empty() ? "time" : metric, e.claim});
  }
  if (as_json)
    print_json(json);
  else
    table.print();
}

void print_lab(const Lab &lab, const std::vector<LabResult> &results, bool as_json) {
  if (as_json) {
    Json all = {{"build", gpuopt_build_info()},
                {"device", lab.device().name},
                {"cc", lab.device().cc},
                {"metrics", lab.counts() ? "ncu" : "computed"},
                {"ncu_note", lab.ncu_note()}};
    all["experiments"] = Json::array();
    for (const LabResult &r : results) all["experiments"].push_back(json_of(r));
    print_json(all);
    return;
  }
  std::printf("device: %s; metrics: %s\n", lab.device().name,
              lab.counts() ? "counted by ncu" : ("computed (" + lab.ncu_note() + ")").c_str());
  for (const LabResult &r : results) print_result(r);
  if (results.size() < 2) return;
  std::printf("\n");
  Table table({"id", "technique", "claimed", "measured", "verdict"});
  table.align_right(2);
  table.align_right(3);
  for (const LabResult &r : results)
    table.add({r.experiment->id, r.experiment->technique,
               r.experiment->claimed > 0 ? formatted(r.experiment->claimed, "%.3g") : "-",
               r.ratio > 0 ? formatted(r.ratio, "%.2f") : "-", gpuopt_lab::text_of(r.verdict)});
  table.print();
}

}  // namespace gpuopt_cli
