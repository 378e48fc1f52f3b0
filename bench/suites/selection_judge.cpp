#include "selection_judge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "../core/compared.h"
#include "../core/stats.h"

namespace gpuopt_bench {
namespace {

constexpr char kPrefix[] = "selection_";
constexpr double kLeastUs = 5;  // shorter calls have no worst case
constexpr double kMean = 0.97, kP5 = 0.88, kWorst = 0.70, kMostError = 12;

double error_of(const Candidate &c) { return std::abs(c.predicted_us / c.measured_us - 1); }

SelectionSummary summary_of(const std::string &op, const std::vector<const MeasuredProblem *> &problems) {
  SelectionSummary s;
  s.op = op;
  std::vector<double> shares;
  double logs = 0;
  for (const MeasuredProblem *p : problems) {
    const double share = share_of_best(*p);
    shares.push_back(share);
    logs += std::log(share);
    if (chosen_of(*p).measured_us > kLeastUs && (s.worst == 0 || share < s.worst)) {
      s.worst = share;
      s.worst_where = p->where + ", " + chosen_of(*p).kernel + " for " + best_of(*p).kernel;
    }
    s.chosen_error += error_of(chosen_of(*p));
    for (const Candidate &c : p->candidates) {
      s.error += error_of(c);
      ++s.rows;
    }
  }
  s.problems = static_cast<int>(problems.size());
  if (s.problems == 0) return s;
  std::sort(shares.begin(), shares.end());
  s.mean = std::exp(logs / s.problems);
  s.p5 = quantile(shares, 0.05);
  s.error /= s.rows;
  s.chosen_error /= s.problems;
  return s;
}

Check check(const std::string &name, double value, double limit, const char *unit, Bound bound,
            const std::string &note) {
  Check c;
  c.name = name;
  c.value = value;
  c.limit = limit;
  c.unit = unit;
  c.bound = bound;
  c.ok = bound == Bound::at_most ? value <= limit : value >= limit;
  c.target = true;
  c.note = note;
  return c;
}

}  // namespace

std::vector<MeasuredProblem> measured_problems(const std::vector<Row> &rows) {
  std::vector<MeasuredProblem> all;
  std::unordered_map<std::string, size_t> places;
  const std::vector<double> us = compared_us(rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row &r = rows[i];
    if (r.suite.rfind(kPrefix, 0) != 0 || r.call.empty() || r.mode != Mode::single) continue;
    const auto place = places.emplace(r.call, all.size());
    if (place.second)
      all.push_back({r.suite.substr(sizeof kPrefix - 1), r.call, r.shape + " " + r.type + " " + r.detail, {}});
    if (us[i] > 0 && r.predicted_us > 0)
      all[place.first->second].candidates.push_back({r.kernel, us[i], r.predicted_us, r.role == Role::automatic});
  }
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const MeasuredProblem &p) {
                             return std::none_of(p.candidates.begin(), p.candidates.end(),
                                                 [](const Candidate &c) { return c.chosen; });
                           }),
            all.end());
  return all;
}

const Candidate &chosen_of(const MeasuredProblem &p) {
  return *std::find_if(p.candidates.begin(), p.candidates.end(), [](const Candidate &c) { return c.chosen; });
}
const Candidate &best_of(const MeasuredProblem &p) {
  return *std::min_element(p.candidates.begin(), p.candidates.end(),
                           [](const Candidate &a, const Candidate &b) { return a.measured_us < b.measured_us; });
}
double share_of_best(const MeasuredProblem &p) { return best_of(p).measured_us / chosen_of(p).measured_us; }

std::vector<SelectionSummary> summarise(const std::vector<MeasuredProblem> &problems) {
  std::vector<SelectionSummary> all;
  std::vector<const MeasuredProblem *> everything;
  std::vector<std::string> ops;
  for (const MeasuredProblem &p : problems) {
    everything.push_back(&p);
    if (std::find(ops.begin(), ops.end(), p.op) == ops.end()) ops.push_back(p.op);
  }
  for (const std::string &op : ops) {
    std::vector<const MeasuredProblem *> own;
    for (const MeasuredProblem *p : everything)
      if (p->op == op) own.push_back(p);
    all.push_back(summary_of(op, own));
  }
  if (!all.empty()) all.push_back(summary_of("all", everything));
  return all;
}

std::map<std::string, KernelError> kernel_errors(const std::vector<MeasuredProblem> &problems) {
  std::map<std::string, KernelError> all;
  for (const MeasuredProblem &p : problems) {
    ++all[best_of(p).kernel].best;
    for (const Candidate &c : p.candidates) {
      KernelError &e = all[c.kernel];
      ++e.rows;
      e.chosen += c.chosen ? 1 : 0;
      e.error += error_of(c);
    }
  }
  for (auto &entry : all) entry.second.error /= std::max(entry.second.rows, 1);
  return all;
}

std::string selection_table(const std::vector<MeasuredProblem> &problems) {
  char line[512];
  std::string text = "best / chosen    problems   mean     p5  worst  error %  of chosen  worst case above 5 us\n";
  for (const SelectionSummary &s : summarise(problems)) {
    std::snprintf(line, sizeof line, "%-15s  %8d  %.3f  %.3f  %.3f  %7.1f  %9.1f  %.300s\n", s.op.c_str(), s.problems,
                  s.mean, s.p5, s.worst, 100 * s.error, 100 * s.chosen_error, s.worst_where.c_str());
    text += line;
  }
  text += "\nkernel                                              rows  chosen   best  error %\n";
  for (const auto &entry : kernel_errors(problems)) {
    const KernelError &e = entry.second;
    std::snprintf(line, sizeof line, "%-50s  %4d  %6d  %5d  %7.1f\n", entry.first.c_str(), e.rows, e.chosen, e.best,
                  100 * e.error);
    text += line;
  }
  return text;
}

void judge_selection(Record *record) {
  auto &checks = record->checks;
  checks.erase(
      std::remove_if(checks.begin(), checks.end(), [](const Check &c) { return c.name.rfind(kPrefix, 0) == 0; }),
      checks.end());
  for (const SelectionSummary &s : summarise(measured_problems(record->rows))) {
    const std::string name = kPrefix + s.op + ", " + std::to_string(s.problems) + " problems, ";
    checks.push_back(check(name + "best / chosen, mean", s.mean, kMean, "x", Bound::at_least, ""));
    checks.push_back(check(name + "best / chosen, 5th percentile", s.p5, kP5, "x", Bound::at_least, ""));
    checks.push_back(check(name + "best / chosen, worst", s.worst, kWorst, "x", Bound::at_least, s.worst_where));
    checks.push_back(check(name + "error of predictions", 100 * s.error, kMostError, "%", Bound::at_most, ""));
  }
}

}  // namespace gpuopt_bench
