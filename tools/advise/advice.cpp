#include "gpuopt_advise/advice.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace gpuopt_advise {
namespace {

using Q = Quantity;

bool is_condition(const Condition &c) { return c.threshold != 0; }

// Whether every condition holds, and on what evidence.
bool holds(const Rule &rule, const Readings &r, Finding *finding) {
  *finding = {&rule, {}, rule.gain == Q::duration ? 0 : r.value(rule.gain)};
  for (const Condition &c : rule.conditions) {
    if (!is_condition(c)) continue;
    if (!r.known(c.what) || (r.value(c.what) >= c.threshold) != c.at_least) return false;
    finding->evidence.push_back({c.what, c.at_least, r.value(c.what), c.threshold, r[c.what].from});
  }
  for (const Q fact : rule.facts)
    if (fact != Q::duration && r.known(fact)) finding->evidence.push_back({fact, true, r.value(fact), 0, r[fact].from});
  return true;
}

// Of ceilings: by how busy the unit is. Of losses: by what is to be gained. Of others the first wins.
double rank(const Finding &f) {
  switch (f.rule->part) {
    case Part::loss:
      return f.gain;
    case Part::ceiling:
      return f.evidence[0].value + f.rule->favour;
    default:
      return 0;
  }
}

std::string formatted(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// What keeps one more block out: the least of the limits.
std::string limiter_of(const Readings &r) {
  static const struct {
    Q limit;
    const char *name;
  } kLimits[] = {{Q::limit_registers, "registers"},
                 {Q::limit_shared, "shared memory"},
                 {Q::limit_warps, "warps"},
                 {Q::limit_blocks, "blocks"}};
  const char *name = "";
  double least = 0;
  for (const auto &l : kLimits)
    if (r.known(l.limit) && (!*name || r.value(l.limit) < least)) {
      name = l.name;
      least = r.value(l.limit);
    }
  if (!*name) return "";
  std::string text = name;
  if (std::strcmp(name, "registers") == 0 && r.known(Q::registers))
    text += formatted(" (%.0f a thread)", r.value(Q::registers));
  return text + formatted(": %.0f blocks a multiprocessor", least);
}

// Where warps wait, what they wait for says more than the rule does.
std::string next_of(const Advice &a) {
  if (!a.verdict.rule) return "";
  std::string next = a.verdict.rule->next;
  if (a.verdict.rule->part == Part::latency && a.stall.stall) {
    next = a.stall.stall->next;
    if (!a.limiter.empty()) next += "; or more warps, which " + a.limiter + " keeps out";
  }
  return next;
}

std::vector<Quantity> missing_of(const Readings &r) {
  std::vector<Quantity> missing;
  for (size_t i = 0; i < kRuleCount; ++i)
    for (const Condition &c : kRules[i].conditions)
      if (is_condition(c) && !r.known(c.what) && std::find(missing.begin(), missing.end(), c.what) == missing.end())
        missing.push_back(c.what);
  return missing;
}

}  // namespace

Advice advise(const Kernel &kernel) {
  const Readings r(kernel);
  Advice a;
  a.stall = top_stall(kernel);
  a.missing = missing_of(r);
  std::vector<Finding> found;
  for (size_t i = 0; i < kRuleCount; ++i) {
    Finding f;
    if (holds(kRules[i], r, &f)) found.push_back(std::move(f));
  }
  const Finding *best = nullptr;
  for (const Finding &f : found)
    if (f.rule->part != Part::remark &&
        (!best || f.rule->part < best->rule->part || (f.rule->part == best->rule->part && rank(f) > rank(*best))))
      best = &f;
  if (best) a.verdict = *best;
  for (const Finding &f : found) {
    const auto same = [&](const Finding &other) {
      return other.rule && std::strcmp(f.rule->bound, other.rule->bound) == 0;
    };
    if ((f.rule->part == Part::loss || f.rule->part == Part::remark) && !same(a.verdict) &&
        std::none_of(a.also.begin(), a.also.end(), same))
      a.also.push_back(f);
  }
  std::stable_sort(a.also.begin(), a.also.end(), [](const Finding &x, const Finding &y) { return x.gain > y.gain; });
  if (a.verdict.rule && std::strcmp(a.verdict.rule->bound, "occupancy") == 0) a.limiter = limiter_of(r);
  a.next = next_of(a);
  return a;
}

}  // namespace gpuopt_advise
