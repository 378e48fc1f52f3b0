// What explain found, for people and for programs.
#include <cstdio>

#include "explain.h"
#include "json.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

constexpr size_t kNamesOfAReason = 6;

std::string x_chosen(const Verdict &v, const Verdict *chosen) {
  const bool both = chosen && chosen->predicted_us > 0 && v.predicted_us > 0;
  return both ? formatted(v.predicted_us / chosen->predicted_us, "%.2f") : "-";
}

std::vector<const Verdict *> shown_accepted(const ExplainOptions &o, const Verdicts &verdicts) {
  std::vector<const Verdict *> some = verdicts.accepted();
  if (o.rejected_only) some.clear();
  if (o.top > 0 && some.size() > static_cast<size_t>(o.top)) some.resize(static_cast<size_t>(o.top));
  return some;
}

void print_accepted(const ExplainOptions &o, const Verdicts &verdicts) {
  Table table({"kernel", "verdict", "pred. us", "x chosen", "workspace", "reason"});
  for (const size_t column : {2, 3, 4}) table.align_right(column);
  const Verdict *const chosen = verdicts.chosen();
  const std::vector<const Verdict *> some = shown_accepted(o, verdicts);
  for (const Verdict *v : some) {
    const bool is_chosen = v == chosen;
    const std::string how = how_name(v->how);
    table.add({v->kernel, is_chosen ? "CHOSEN" : verdict_name(v->verdict),
               v->predicted_us > 0 ? formatted(v->predicted_us, "%.2f") : "-", x_chosen(*v, chosen),
               v->workspace_bytes ? std::to_string(v->workspace_bytes) : "-",
               how.empty()       ? v->text
               : v->text.empty() ? how
                                 : how + "; " + v->text},
              is_chosen             ? Style::good
              : v->predicted_us > 0 ? Style::plain
                                    : Style::faint);
  }
  if (!some.empty()) table.print();
  if (!o.rejected_only && some.size() < verdicts.accepted().size())
    std::printf("%zu more can run: without --top they are shown\n", verdicts.accepted().size() - some.size());
}

// One row a kernel.
void print_rejected(const Verdicts &verdicts) {
  Table table({"kernel", "reason"});
  for (const Verdict *v : verdicts.rejected()) table.add({v->kernel, v->text});
  table.print();
}

// One row a reason.
void print_reasons(const Verdicts &verdicts) {
  const std::vector<Reason> reasons = verdicts.reasons();
  if (reasons.empty()) return;
  std::printf("\nrejected: %zu; --rejected shows each\n", verdicts.rejected().size());
  Table table({"kernels", "reason"});
  table.align_right(0);
  for (const Reason &r : reasons) {
    table.add({std::to_string(r.kernels.size()), r.text});
    std::string names;
    for (size_t i = 0; i < r.kernels.size() && i < kNamesOfAReason; ++i) names += (i ? ", " : "") + r.kernels[i];
    if (r.kernels.size() > kNamesOfAReason)
      names += " and " + std::to_string(r.kernels.size() - kNamesOfAReason) + " more";
    table.add({"", names}, Style::faint);
  }
  table.print();
}

Json json_of(const Verdict &v, const Verdict *chosen) {
  const bool both = chosen && chosen->predicted_us > 0 && v.predicted_us > 0;
  return {{"kernel", v.kernel},
          {"verdict", verdict_name(v.verdict)},
          {"how", how_name(v.how)},
          {"reject", gpuopt_reject_name(v.reject)},
          {"operand", v.operand},
          {"have", v.have},
          {"need", v.need},
          {"predicted_us", v.predicted_us},
          {"x_chosen", both ? v.predicted_us / chosen->predicted_us : 0},
          {"workspace_bytes", v.workspace_bytes},
          {"text", v.text}};
}

void print_for_programs(const ExplainOptions &o, const Explained &e) {
  Json all = {{"status", gpuopt_status_name(e.status)},
              {"error", e.error},
              {"device", e.device.name},
              {"cc", e.device.cc},
              {"note", e.note},
              {"candidates", Json::array()}};
  for (const Verdict *v : shown_accepted(o, e.verdicts)) all["candidates"].push_back(json_of(*v, e.verdicts.chosen()));
  if (!o.accepted_only)
    for (const Verdict *v : e.verdicts.rejected()) all["candidates"].push_back(json_of(*v, nullptr));
  o.csv ? print_csv(all["candidates"]) : print_json(all);
}

}  // namespace

void print_explained(const ExplainOptions &o, const Explained &e) {
  if (o.json || o.csv) return print_for_programs(o, e);
  const std::string arch = e.device.cc ? " (sm_" + std::to_string(e.device.cc) + ")" : "";
  std::printf("device: %s%s%s\n", e.device.name, arch.c_str(), o.pretend.empty() ? "" : ", pretended");
  if (e.status == GPUOPT_INVALID_ARGUMENT) return;
  if (!e.note.empty()) std::printf("%s\n", painted(e.note, Style::strong).c_str());
  print_accepted(o, e.verdicts);
  if (o.rejected_only)
    print_rejected(e.verdicts);
  else if (!o.accepted_only)
    print_reasons(e.verdicts);
}

}  // namespace gpuopt_cli
