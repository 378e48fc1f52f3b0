#include "against_judge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gpuopt_bench {
namespace {

constexpr char kPrefix[] = "against the other build, ";
constexpr double kLeastMean = 0.998;

// The other's time over ours; where one of them could not be timed there is nothing to compare: 1.
double ratio_of(const Timing &ours, const Timing &other) {
  return ours.ok() && other.ok() && ours.median_us > 0 ? other.median_us / ours.median_us : 1;
}

struct Pair {
  const Row *ours, *other;
  double ratio() const { return ratio_of(ours->timing, other->timing); }
};

bool same_case(const Row &a, const Row &b) {
  return a.suite == b.suite && a.shape == b.shape && a.type == b.type && a.detail == b.detail && a.mode == b.mode &&
         a.cache == b.cache;
}

// The rows of a case stand together, ours first.
std::vector<Pair> pairs_of(const std::vector<Row> &rows) {
  std::vector<Pair> pairs;
  const Row *ours = nullptr;
  for (const Row &r : rows) {
    if (r.role == Role::automatic) ours = &r;
    const bool compared = r.contender == kOtherBuild && ours != nullptr && same_case(*ours, r);
    if (compared && r.timing.ok() && ours->timing.ok() && ours->timing.median_us > 0) pairs.push_back({ours, &r});
  }
  return pairs;
}

std::string where(const Row &r) { return r.suite + " " + r.shape + " " + r.type + " " + r.detail + " " + word(r.mode); }

}  // namespace

std::vector<SuiteAgainst> summarise_against(const std::vector<Row> &rows) {
  std::vector<SuiteAgainst> all;
  for (const Pair &p : pairs_of(rows)) {
    auto found = std::find_if(all.begin(), all.end(), [&](const SuiteAgainst &s) { return s.suite == p.ours->suite; });
    if (found == all.end()) found = all.insert(all.end(), {p.ours->suite, 0, 0, 0, 0, ""});
    found->slower += p.ratio() < kSlower ? 1 : 0;
    found->mean += std::log(p.ratio());
    if (found->rows++ == 0 || p.ratio() < found->least) {
      found->least = p.ratio();
      found->least_where = where(*p.ours);
    }
  }
  for (SuiteAgainst &s : all) s.mean = std::exp(s.mean / s.rows);
  return all;
}

std::string against_table(const std::vector<Row> &rows) {
  char line[600];
  std::string text;
  for (const SuiteAgainst &s : summarise_against(rows)) {
    if (text.empty()) text = "other / ours          rows    mean   least  slower\n";
    std::snprintf(line, sizeof line, "%-20s  %4d  %6.4f  %6.3f  %6d\n", s.suite.c_str(), s.rows, s.mean, s.least,
                  s.slower);
    text += line;
  }
  for (const Pair &p : pairs_of(rows)) {
    if (p.ratio() >= kSlower) continue;
    std::snprintf(line, sizeof line, "slower  %-70.200s  %.3f  %10.2f us by %s, %10.2f by %s\n", where(*p.ours).c_str(),
                  p.ratio(), p.ours->timing.median_us, p.ours->kernel.c_str(), p.other->timing.median_us,
                  p.other->kernel.c_str());
    text += line;
  }
  return text;
}

void judge_against(Record *record) {
  auto &checks = record->checks;
  checks.erase(
      std::remove_if(checks.begin(), checks.end(), [](const Check &c) { return c.name.rfind(kPrefix, 0) == 0; }),
      checks.end());
  for (const SuiteAgainst &s : summarise_against(record->rows)) {
    const std::string name = kPrefix + s.suite + ", " + std::to_string(s.rows) + " rows, ";
    checks.push_back(
        {name + "geometric mean", s.mean, kLeastMean, "x", s.mean >= kLeastMean, true, Bound::at_least, ""});
    checks.push_back({name + "rows that are slower by more than 2 %", double(s.slower), 0, "rows", s.slower == 0, true,
                      Bound::at_most, s.slower > 0 ? s.least_where : ""});
  }
}

bool is_slower(const Timing &ours, const Timing &other) { return ratio_of(ours, other) < kSlower; }

size_t middle_of_three(const std::vector<std::vector<Timing>> &three, size_t ours) {
  std::vector<std::pair<double, size_t>> ratios;
  for (size_t i = 0; i < three.size(); ++i) ratios.push_back({ratio_of(three[i][ours], three[i][ours + 1]), i});
  std::sort(ratios.begin(), ratios.end());
  return ratios[ratios.size() / 2].second;
}

}  // namespace gpuopt_bench
