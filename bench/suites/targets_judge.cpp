// Rows to verdicts.
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "targets.h"

namespace gpuopt_bench {
namespace {

constexpr double kAllowedShare = 0.01, kAllowedUs = 0.064;  // of Measure::behind

bool matches(const std::string &glob, const std::string &name) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; }

bool needs_other(Measure m) {
  return m == Measure::ratio || m == Measure::slowdown || m == Measure::us_over || m == Measure::behind;
}

bool timed(const Row &r) { return r.timing.ok() && r.timing.median_us > 0; }
bool of_us(const Row &r) { return r.role == Role::automatic || r.role == Role::kernel; }

bool is_ours(const Target &t, const Row &r) {
  return t.ours.empty() ? r.role == Role::automatic : of_us(r) && matches(t.ours, r.kernel);
}
bool is_other(const Target &t, const Row &r) {
  if (t.other.empty()) return r.role == Role::peer;
  return matches(t.other, of_us(r) ? r.kernel : r.contender);
}

// What a target finds of one case of one problem: most problems are one case, a table of chains is many.
struct Found {
  std::string label;
  const Row *ours = nullptr, *other = nullptr;
  std::string failure;
};

void keep_faster(const Row &r, const Row **best) {
  if (*best == nullptr || r.timing.median_us < (*best)->timing.median_us) *best = &r;
}

std::vector<Found> find(const Target &t, const std::string &problem, const std::vector<Row> &rows) {
  std::vector<Found> all;
  for (const Row &r : rows) {
    if (r.problem != problem || r.mode != t.mode || r.cache != t.cache) continue;
    const std::string label = r.shape + " " + r.type + (r.detail.empty() ? "" : " " + r.detail);
    auto found = std::find_if(all.begin(), all.end(), [&](const Found &f) { return f.label == label; });
    if (found == all.end()) found = all.insert(found, {label, nullptr, nullptr, ""});
    if (timed(r) && is_ours(t, r)) keep_faster(r, &found->ours);
    if (timed(r) && needs_other(t.measure) && is_other(t, r)) keep_faster(r, &found->other);
    if (!timed(r) && (is_ours(t, r) || (needs_other(t.measure) && is_other(t, r)))) found->failure = r.timing.failure;
  }
  return all;
}

// Not a number where the rows do not say.
double value_of(Measure measure, const Found &f) {
  if (f.ours == nullptr || (needs_other(measure) && f.other == nullptr)) return NAN;
  const double us = f.ours->timing.median_us, other = f.other != nullptr ? f.other->timing.median_us : 0;
  const auto percent = [](double share) { return share > 0 ? 100 * share : NAN; };
  switch (measure) {
    case Measure::ratio:
      return other / us;
    case Measure::slowdown:
      return us / other;
    case Measure::rate:
      return f.ours->rate > 0 ? f.ours->rate : NAN;
    case Measure::of_copy:
    case Measure::of_read:
      return percent(f.ours->against_ceiling);
    case Measure::of_bound:
      return percent(f.ours->against_bound);
    case Measure::us:
      return us;
    case Measure::us_over:
      return us - other;
    default:
      return (us - other) / std::max(kAllowedShare * other, kAllowedUs);
  }
}

const char *unit_of(Measure measure) {
  switch (measure) {
    case Measure::ratio:
    case Measure::slowdown:
      return "x";
    case Measure::rate:
      return "GB/s";
    case Measure::of_copy:
      return "% of copy";
    case Measure::of_read:
      return "% of read";
    case Measure::of_bound:
      return "% of bound";
    case Measure::behind:
      return "of allowed";
    default:
      return "us";
  }
}

std::string missing(const Target &t, const std::string &problem, const Found &f) {
  std::string what = f.ours == nullptr                              ? (t.ours.empty() ? "our automatic choice" : t.ours)
                     : needs_other(t.measure) && f.other == nullptr ? (t.other.empty() ? "a peer" : t.other)
                                                                    : std::string(unit_of(t.measure));
  return problem + " " + word(t.mode) + ": " + what + (f.failure.empty() ? "" : ", " + f.failure);
}

// The first few; a hundred names help nobody.
std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kShown = 4;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i > 0 ? "; " : "") + names[i];
  return names.size() > kShown ? text + "; and " + std::to_string(names.size() - kShown) + " more" : text;
}

struct Value {
  double value;
  std::string label;
};

double folded(const Target &t, const std::vector<Value> &values, std::string *note) {
  const bool most = bound_of(t) == Bound::at_most;
  const auto worst = std::min_element(values.begin(), values.end(), [&](const Value &a, const Value &b) {
    return most ? a.value > b.value : a.value < b.value;
  });
  if (values.size() > 1) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", worst->value);
    *note = (t.fold == Fold::worst ? "" : std::string(most ? "most " : "least ") + text + ": ") + worst->label;
  }
  if (t.fold != Fold::geometric_mean) return worst->value;
  double log_sum = 0;
  for (const Value &v : values) log_sum += std::log(v.value);
  return std::exp(log_sum / static_cast<double>(values.size()));
}

}  // namespace

std::string name_of(const Target &t) {
  std::string name = t.title.empty() ? t.problems.front() : t.title;
  if (t.mode == Mode::graph) name += " G";
  if (t.cache == Cache::resident) name += " resident";
  if (!t.ours.empty()) name += ", " + t.ours;
  if (t.measure == Measure::rate) name += ", rate";
  if (t.measure == Measure::us) name += ", time";
  if (unit_of(t.measure)[0] == '%') name += std::string(",") + (unit_of(t.measure) + 1);
  if (needs_other(t.measure))
    name += (t.measure == Measure::us_over || t.measure == Measure::behind ? ", less " : ", to ") +
            (t.other.empty() ? "best peer" : t.other);
  if (t.fold == Fold::geometric_mean) name += ", mean";
  if (t.fold == Fold::worst) name += ", worst";
  return name;
}

Bound bound_of(const Target &t) {
  if (t.measure >= Measure::slowdown) return Bound::at_most;
  return t.strict ? Bound::above : Bound::at_least;
}

std::vector<Check> judged(const std::vector<Target> &targets, const std::vector<Row> &rows) {
  std::vector<Check> checks;
  for (const Target &t : targets) {
    std::vector<Value> values;
    std::vector<std::string> lacks;
    size_t absent = 0;
    for (const std::string &problem : t.problems) {
      const std::vector<Found> all = find(t, problem, rows);
      if (all.empty()) {
        ++absent;
        lacks.push_back(problem + " " + word(t.mode) + ": no rows");
      }
      for (const Found &f : all) {
        const double value = value_of(t.measure, f);
        if (std::isnan(value))
          lacks.push_back(missing(t, problem, f));
        else
          values.push_back({value, f.label});
      }
    }
    if (absent == t.problems.size()) continue;
    Check c;
    c.name = name_of(t);
    c.unit = unit_of(t.measure);
    c.limit = t.limit;
    c.target = true;
    c.bound = bound_of(t);
    c.value = values.empty() ? NAN : folded(t, values, &c.note);
    c.ok = lacks.empty() && (c.bound == Bound::at_most    ? c.value <= t.limit
                             : c.bound == Bound::at_least ? c.value >= t.limit
                                                          : c.value > t.limit);
    if (!lacks.empty()) c.note = "missing: " + listed(lacks);
    checks.push_back(std::move(c));
  }
  return checks;
}

void judge_targets(Record *record) {
  auto &checks = record->checks;
  checks.erase(std::remove_if(checks.begin(), checks.end(), [](const Check &c) { return c.target; }), checks.end());
  for (Check &c : judged(targets(), record->rows)) checks.push_back(std::move(c));
}

const std::vector<Target> &targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> list;
    add_gemm_targets(&list);
    add_memory_targets(&list);
    add_fused_targets(&list);
    return list;
  }();
  return all;
}

}  // namespace gpuopt_bench
