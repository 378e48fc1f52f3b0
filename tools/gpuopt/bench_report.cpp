#include "bench_report.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "text.h"

namespace gpuopt_cli {
namespace {

std::string or_dash(double value, const char *format) { return value > 0 ? formatted(value, format) : "-"; }

double rate_of(const BenchedProblem &p, double us) {
  return us <= 0 ? 0 : p.flops > 0 ? p.flops / us * 1e-6 : double(p.bytes) / us * 1e-3;
}

double over(double value, double base) { return value > 0 && base > 0 ? value / base : 0; }

std::string problem_text(const BenchedProblem &p) {
  std::string text = formatted(double(p.bytes) * 1e-6, "%.4g MB");
  if (p.flops > 0) text = formatted(p.flops * 1e-9, "%.4g GFLOP, ") + text + formatted(p.intensity(), ", %.4g FLOP/B");
  if (p.bound.us > 0) text += std::string("; bound by ") + p.bound.by + formatted(p.bound.us, ": %.2f us");
  return text;
}

// "SM clock 1755 to 1980 MHz, 61 C, 690 W; held back by power cap"; "" where the machine does not tell.
std::string clocks_text(const gpuopt_measure::ClockWatch::Seen &c) {
  if (c.most_sm_mhz == 0) return "";
  std::string text = "SM clock " + std::to_string(c.least_sm_mhz);
  if (c.most_sm_mhz != c.least_sm_mhz) text += " to " + std::to_string(c.most_sm_mhz);
  text += " MHz";
  if (c.celsius) text += ", " + std::to_string(c.celsius) + " C";
  if (c.watts) text += ", " + std::to_string(c.watts) + " W";
  const std::string reasons = gpuopt_measure::held_back_text(c.held_back);
  return text + (reasons.empty() ? "" : "; held back by " + reasons);
}

void add_rows(const BenchReport &r, const BenchedProblem &p, bool with_problem, Table *table) {
  bool first = true;
  for (const BenchedKernel &k : p.kernels) {
    std::vector<std::string> row = {k.time.kernel, !k.time.failure.empty() ? "failed" : k.time.chosen ? "chosen" : ""};
    if (k.time.failure.empty()) {
      row.push_back(formatted(k.time.time.us, "%.2f"));
      row.push_back(k.time.time.noise < 1 ? formatted(100 * k.time.time.noise, "%.1f") : "-");
      if (r.has_graphs) row.push_back(or_dash(k.time.graph.us, "%.2f"));
      row.push_back(or_dash(k.predicted_us, "%.2f"));
      row.push_back(or_dash(over(k.us(), k.predicted_us), "%.2f"));
      row.push_back(or_dash(rate_of(p, k.us()), "%.4g"));
      row.push_back(p.flops > 0 ? "TFLOP/s" : "GB/s");
      row.push_back(or_dash(100 * over(p.bound.us, k.us()), "%.1f"));
      row.push_back(p.bound.by);
      row.push_back(or_dash(over(k.us(), p.chosen_us()), "%.3f"));
      row.push_back(std::to_string(k.time.samples));
      if (with_problem) row.push_back(or_dash(p.intensity(), "%.4g"));
      if (with_problem) row.push_back(first ? p.problem : "  the same");
      first = false;
    }
    table->add(row, !k.time.failure.empty() ? Style::bad : k.time.chosen ? Style::good : Style::plain);
  }
}

// "2 more kernels were left out", of several problems "0 to 2 more kernels".
void print_left_out(const std::vector<BenchedProblem> &problems, size_t BenchedProblem::*count, const char *one,
                    const char *several, const char *what) {
  size_t least = SIZE_MAX, most = 0;
  for (const BenchedProblem &p : problems) {
    least = std::min(least, p.*count);
    most = std::max(most, p.*count);
  }
  if (most == 0) return;
  const std::string low = least < most ? std::to_string(least) + " to " : "";
  std::printf("%s%s %s%s\n", low.c_str(), counted(static_cast<int64_t>(most), one, several).c_str(), what,
              problems.size() > 1 ? " (of each problem)" : "");
}

}  // namespace

double BenchedProblem::chosen_us() const {
  for (const BenchedKernel &k : kernels)
    if (k.time.chosen && k.time.failure.empty()) return k.us();
  return 0;
}

void print_bench_table(const BenchReport &r) {
  std::printf("device: %s; %s; medians; %s data\n", r.device.name, r.method.c_str(), r.data.c_str());
  const bool several = r.problems.size() > 1;
  std::vector<std::string> head = {"kernel", "", r.has_graphs ? "S us" : "us", "+- %"};
  if (r.has_graphs) head.push_back("G us");
  head.insert(head.end(), {"predicted", "x predicted", "rate", "", "% bound", "bound", "x chosen", "samples"});
  if (several) head.insert(head.end(), {"FLOP/B", "problem"});
  Table table(head);
  for (size_t c = 2; c < head.size(); ++c)
    if (!head[c].empty() && head[c] != "bound" && head[c] != "problem") table.align_right(c);
  for (const BenchedProblem &p : r.problems) add_rows(r, p, several, &table);
  if (!several && !r.problems.empty())
    std::printf("%s: %s\n", r.problems[0].problem.c_str(), problem_text(r.problems[0]).c_str());
  table.print();
  for (const BenchedProblem &p : r.problems) {
    const std::string of = several ? " (" + p.problem + ")" : "";
    for (const auto &k : p.cannot_run)
      std::printf("%s cannot run: %s%s\n", k.first.c_str(), k.second.c_str(), of.c_str());
    for (const BenchedKernel &k : p.kernels)
      if (!k.time.failure.empty())
        std::printf("%s failed: %s%s\n", k.time.kernel.c_str(), k.time.failure.c_str(), of.c_str());
    if (p.algorithms)
      std::printf("the best of %zu more algorithms of libraries stands beside their own choice: --algorithms%s\n",
                  p.algorithms, of.c_str());
    if (const std::string clocks = clocks_text(p.clocks); !clocks.empty())
      std::printf("%s%s\n", clocks.c_str(), of.c_str());
  }
  print_left_out(r.problems, &BenchedProblem::too_slow, "more kernel was", "more kernels were",
                 "left out, predicted to take too long: --within");
  print_left_out(r.problems, &BenchedProblem::rejected, "more kernel cannot", "more kernels cannot",
                 "run this problem here: gpuopt explain says why");
}

Json bench_json(const BenchReport &r) {
  Json all = {{"build", gpuopt_build_info()}, {"device", r.device.name}, {"cc", r.device.cc},
              {"method", r.method},           {"data", r.data},          {"cache", r.cache},
              {"problems", Json::array()}};
  for (const BenchedProblem &p : r.problems) {
    Json problem = {{"problem", p.problem},       {"flops", p.flops},       {"bytes", p.bytes},
                    {"intensity", p.intensity()}, {"bound_us", p.bound.us}, {"bound_by", p.bound.by},
                    {"rejected", p.rejected},     {"too_slow", p.too_slow}, {"kernels", Json::array()},
                    {"cannot_run", Json::array()}};
    if (p.clocks.most_sm_mhz)
      problem["clocks"] = {{"least_sm_mhz", p.clocks.least_sm_mhz},
                           {"most_sm_mhz", p.clocks.most_sm_mhz},
                           {"celsius", p.clocks.celsius},
                           {"watts", p.clocks.watts},
                           {"held_back", gpuopt_measure::held_back_text(p.clocks.held_back)}};
    for (const BenchedKernel &k : p.kernels)
      problem["kernels"].push_back({{"kernel", k.time.kernel},
                                    {"chosen", k.time.chosen},
                                    {"us", k.time.time.us},
                                    {"noise", k.time.best().noise},
                                    {"p10_us", k.time.p10_us},
                                    {"p90_us", k.time.p90_us},
                                    {"graph_us", k.time.graph.us},
                                    {"samples", k.time.samples},
                                    {"predicted_us", k.predicted_us},
                                    {"x_predicted", over(k.us(), k.predicted_us)},
                                    {"bound_share", over(p.bound.us, k.us())},
                                    {"x_chosen", over(k.us(), p.chosen_us())},
                                    {"failure", k.time.failure}});
    for (const auto &k : p.cannot_run) problem["cannot_run"].push_back({{"kernel", k.first}, {"reason", k.second}});
    all["problems"].push_back(std::move(problem));
  }
  return all;
}

void print_bench_csv(const Json &report) {
  print_csv(rows_below(report["problems"], {"problem", "flops", "bytes", "intensity", "bound_us", "bound_by"},
                       "kernels", {{"device", report["device"]}}));
}

double best_us(const Json &kernel) {
  const double graph = kernel.at("graph_us"), us = kernel.at("us");
  return graph > 0 ? graph : us;
}

std::vector<gpuopt_measure::Row> bench_rows(const BenchReport &r) {
  std::vector<gpuopt_measure::Row> rows;
  for (const BenchedProblem &p : r.problems)
    for (const BenchedKernel &k : p.kernels) rows.push_back({r.device.name, p.problem, k.time.kernel, k.time.best()});
  return rows;
}

std::vector<gpuopt_measure::Row> read_bench_rows(const std::string &path) {
  const std::string text = text_of_file("--compare", path);
  std::vector<gpuopt_measure::Row> rows;
  try {
    const Json all = Json::parse(text);
    for (const Json &p : all.at("problems"))
      for (const Json &k : p.at("kernels"))
        rows.push_back({all.at("device"), p.at("problem"), k.at("kernel"), {best_us(k), k.at("noise")}});
  } catch (const nlohmann::json::exception &bad) {
    throw CLI::ValidationError("--compare", "'" + path + "' is not what bench --json writes: " + bad.what());
  }
  return rows;
}

}  // namespace gpuopt_cli
