#include "advice_text.h"

#include <algorithm>
#include <cstdio>

#include "commands.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

using gpuopt_advise::Advice;
using gpuopt_advise::Evidence;
using gpuopt_advise::Finding;
using gpuopt_advise::Kernel;
using gpuopt_advise::Quantity;

std::string with_unit(double value, Quantity q) {
  const std::string unit = gpuopt_advise::unit_of(q);
  return formatted(value, "%.4g") + (unit.empty() || unit == "x" ? unit : " " + unit);
}

std::string text_of(const Evidence &e) {
  const std::string against =
      e.threshold == 0 ? "" : (e.at_least ? " (at least " : " (below ") + with_unit(e.threshold, e.what) + ")";
  return std::string(gpuopt_advise::description_of(e.what)) + ": " + with_unit(e.value, e.what) + against + "  " +
         e.from;
}

// The rest of a line below its first: `label: text`.
void print_labelled(const char *label, const std::string &text) {
  constexpr size_t kIndent = 12;
  const size_t columns = output_columns();
  bool first = true;
  for (const std::string &line : wrapped(text, columns > kIndent ? columns - kIndent : 0)) {
    std::printf("  %-*s%s\n", static_cast<int>(kIndent - 2), first ? label : "", line.c_str());
    first = false;
  }
}

std::string gain_text(const Finding &f) {
  const std::string counted = f.gain >= 1.05 ? formatted(f.gain, "up to %.2g times by these counters") : "";
  const std::string promised = *f.rule->expected ? std::string("the seeds promise ") + f.rule->expected : "";
  return counted + (counted.empty() || promised.empty() ? "" : "; ") + promised;
}

Json json_of(const Finding &f) {
  Json j = {{"bound", f.rule->bound}, {"verdict", f.rule->verdict}, {"next", f.rule->next}};
  j["gain"] = f.gain > 0 ? Json(f.gain) : Json(nullptr);
  j["expected"] = f.rule->expected;
  j["shown_by"] = f.rule->shown_by;
  j["source"] = f.rule->source;
  j["evidence"] = Json::array();
  for (const Evidence &e : f.evidence)
    j["evidence"].push_back({{"quantity", gpuopt_advise::name_of(e.what)},
                             {"value", e.value},
                             {"rule", e.threshold == 0 ? "fact"
                                      : e.at_least     ? "at least"
                                                       : "below"},
                             {"threshold", e.threshold == 0 ? Json(nullptr) : Json(e.threshold)},
                             {"unit", gpuopt_advise::unit_of(e.what)},
                             {"metrics", e.from}});
  return j;
}

}  // namespace

void print_advice(const Kernel &kernel, const Advice &a) {
  std::printf("%s\n", painted(kernel.name.empty() ? "(a kernel without a name)" : kernel.name, Style::strong).c_str());
  std::string launch;
  const gpuopt_advise::Readings r(kernel);
  if (!kernel.grid.empty()) launch += "grid " + kernel.grid + ", block " + kernel.block;
  if (!kernel.cc.empty()) launch += ", compute capability " + kernel.cc;
  if (r.known(Quantity::duration)) launch += formatted(r.value(Quantity::duration), ", %.2f us");
  if (!launch.empty()) print_labelled("launch", launch);
  if (!a.verdict.rule) {
    std::string missing;
    for (const Quantity q : a.missing)
      missing += (missing.empty() ? "" : ", ") + std::string(gpuopt_advise::description_of(q));
    print_labelled("bound by", "not to be told from this report; it lacks " + missing);
    print_labelled("next", "gpuopt advise --run -- COMMAND, or ncu with what gpuopt advise --metrics prints");
    return;
  }
  print_labelled("bound by", a.verdict.rule->verdict + (a.limiter.empty() ? "" : "; limited by " + a.limiter));
  const char *label = "evidence";
  for (const Evidence &e : a.verdict.evidence) {
    print_labelled(label, text_of(e));
    label = "";
  }
  if (a.stall.stall && a.stall.percent > 0)
    print_labelled(label, "warps wait most for " + std::string(a.stall.stall->meaning) +
                              formatted(a.stall.percent, ", %.0f %% of their time  ") + a.stall.stall->metric);
  print_labelled("next", a.next);
  if (const std::string gain = gain_text(a.verdict); !gain.empty()) print_labelled("gain", gain);
  if (*a.verdict.rule->shown_by) print_labelled("see", a.verdict.rule->shown_by);
  print_labelled("rule", a.verdict.rule->source);
  label = "also";
  for (const Finding &f : a.also) {
    const std::string gain = gain_text(f);
    print_labelled(label, std::string(f.rule->verdict) + ": " + f.rule->next + (gain.empty() ? "" : " (" + gain + ")"));
    label = "";
  }
}

Json json_of(const Kernel &kernel, const Advice &a) {
  Json j = {{"kernel", kernel.name}, {"grid", kernel.grid}, {"block", kernel.block}, {"compute_capability", kernel.cc}};
  j["bound"] = a.verdict.rule ? Json(a.verdict.rule->bound) : Json(nullptr);
  if (a.verdict.rule) j["verdict"] = json_of(a.verdict);
  j["next"] = a.next;
  j["limiter"] = a.limiter.empty() ? Json(nullptr) : Json(a.limiter);
  if (a.stall.stall) j["stall"] = {{"name", a.stall.stall->name}, {"percent", a.stall.percent}};
  j["also"] = Json::array();
  for (const Finding &f : a.also) j["also"].push_back(json_of(f));
  const gpuopt_advise::Readings r(kernel);
  for (size_t i = 0; i < gpuopt_advise::quantity_count(); ++i) {
    const auto q = static_cast<Quantity>(i);
    if (r.known(q)) j["quantities"][gpuopt_advise::name_of(q)] = r.value(q);
  }
  j["missing"] = Json::array();
  for (const Quantity q : a.missing) j["missing"].push_back(gpuopt_advise::name_of(q));
  return j;
}

void print_rules() {
  using gpuopt_advise::Part;
  static const struct {
    Part part;
    const char *title;
  } kParts[] = {{Part::launch, "Too few blocks: whatever else the counters say matters later"},
                {Part::loss, "Work that need not be done: of several, what would gain most"},
                {Part::ceiling, "A unit near its limit: the busiest, useful work before what serves it"},
                {Part::latency, "Nothing is near its limit: warps wait"},
                {Part::remark, "Told beside a verdict"}};
  std::printf(
      "# The rules of gpuopt advise\n\nMade by `gpuopt advise --rules` from tools/advise/rules.cpp; "
      "[profiling.md](profiling.md) says how "
      "to read them. The first part\nof which a rule holds gives the verdict.\n");
  for (const auto &p : kParts) {
    std::printf("\n## %s\n\n", p.title);
    Table table({"bound", "when", "it is bound by", "next", "promised", "shown by", "source"});
    for (size_t i = 0; i < gpuopt_advise::kRuleCount; ++i) {
      const gpuopt_advise::Rule &rule = gpuopt_advise::kRules[i];
      if (rule.part != p.part) continue;
      std::string when;
      for (const gpuopt_advise::Condition &c : rule.conditions)
        if (c.threshold != 0)
          when += (when.empty() ? "" : "; ") + std::string(gpuopt_advise::description_of(c.what)) +
                  (c.at_least ? " at least " : " below ") + with_unit(c.threshold, c.what);
      table.add({rule.bound, when, rule.verdict, rule.next, rule.expected, rule.shown_by, rule.source});
    }
    table.print_markdown();
  }
}

int print_report(const gpuopt_advise::Report &report, const std::string &globs, bool json) {
  Json all = Json::array();
  bool told = true, any = false;
  for (const Kernel &k : report.kernels) {
    if (!globs.empty() && !matches_globs(globs, k.name)) continue;
    const Advice a = gpuopt_advise::advise(k);
    told = told && a.verdict.rule;
    if (json) {
      all.push_back(json_of(k, a));
    } else {
      if (any) std::printf("\n");
      print_advice(k, a);
    }
    any = true;
  }
  if (json) print_json(all);
  if (!any) std::fprintf(stderr, "gpuopt: no kernel of the report matches '%s'\n", globs.c_str());
  return any && told ? kOk : kFailure;
}

}  // namespace gpuopt_cli
