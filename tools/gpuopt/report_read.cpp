#include "report_read.h"

#include "bench_report.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

using gpuopt_report::Page;

void add_origin(const Json &json, const std::string &device, Page *page) {
  if (page->device.empty()) page->device = device;
  if (!page->build.empty()) return;
  page->build = json.at("build");
  const size_t selection = page->build.find(", GPUOPT_");  // a list of kernels
  if (selection != std::string::npos) page->build = page->build.substr(0, selection) + ", a part of its kernels";
}

std::string metric_of(const Json &run, const Json &experiment) {
  const auto found = run.find("metric");
  if (found == run.end()) return "";
  const std::string unit = experiment.at("metric_unit"), words = experiment.at("metric_text");
  const bool counted = found->at("counted");
  return formatted(found->at("value"), "%.4g") + (unit.empty() || words.rfind(unit, 0) == 0 ? "" : " " + unit) + " " +
         words + (counted ? "" : " (computed)");
}

// A head of names, and a row a line.
std::vector<std::vector<std::string>> rows_of(const Json &lines) {
  std::vector<std::vector<std::string>> rows;
  for (const Json &line : lines) {
    if (rows.empty()) {
      rows.emplace_back();
      for (const auto &value : line.items()) rows[0].push_back(value.key() == "what" ? "" : value.key());
    }
    rows.emplace_back();
    for (const auto &value : line.items())
      rows.back().push_back(value.value().is_string() ? value.value().get<std::string>()
                                                      : formatted(value.value(), "%.4g"));
  }
  return rows;
}

gpuopt_roofline::Point point_of(const Json &p) {
  return {p.at("label"),
          p.at("kernel"),
          p.at("problem"),
          p.at("mark"),
          p.at("roof"),
          p.at("intensity"),
          p.at("gflops"),
          p.at("us"),
          p.at("predicted_intensity"),
          p.at("counted_intensity")};
}

}  // namespace

void add_bench_json(const Json &bench, Page *page) {
  add_origin(bench, bench.at("device"), page);
  for (const Json &p : bench.at("problems")) {
    gpuopt_report::Problem problem;
    problem.text = p.at("problem");
    problem.flops = p.at("flops");
    problem.bytes = p.at("bytes");
    problem.bound_us = p.at("bound_us");
    problem.bound_by = p.at("bound_by");
    for (const Json &k : p.at("kernels"))
      if (best_us(k) > 0) problem.kernels.push_back({k.at("kernel"), k.at("chosen"), best_us(k)});
    page->problems.push_back(std::move(problem));
  }
}

void add_roofline_json(const Json &roofline, Page *page) {
  for (const Json &r : roofline.at("rooflines")) {
    add_origin(roofline, r.at("device"), page);
    gpuopt_roofline::Roofline made;
    made.device = r.at("device");
    made.note = r.at("note");
    for (const Json &c : r.at("ceilings"))
      made.ceilings.push_back({c.at("name"), c.at("kind") == "arithmetic", c.at("rate"), c.at("method")});
    for (const Json &p : r.at("points")) made.points.push_back(point_of(p));
    page->rooflines.push_back(std::move(made));
  }
}

void add_lab_json(const Json &lab, Page *page) {
  add_origin(lab, lab.at("device"), page);
  const std::string why = lab.at("ncu_note");
  page->lab_note = why.empty() ? "Metrics are Nsight Compute\u2019s."
                               : "Metrics follow from the code, not from counters (" + why + ").";
  for (const Json &e : lab.at("experiments")) {
    gpuopt_report::Experiment made;
    made.id = e.at("id");
    made.technique = e.at("technique");
    made.claim = e.at("claim");
    made.why = e.at("why");
    made.before = e.at("before");
    made.after = e.at("after");
    made.verdict = e.at("verdict");
    made.note = e.at("note");
    made.claimed = e.at("claimed");
    made.measured = e.at("measured");
    for (const Json &r : e.at("runs"))
      made.runs.push_back({r.at("label"), r.at("kernel"), r.at("failure"), r.at("us"), metric_of(r, e)});
    made.lines = rows_of(e.at("lines"));
    page->experiments.push_back(std::move(made));
  }
}

}  // namespace gpuopt_cli
