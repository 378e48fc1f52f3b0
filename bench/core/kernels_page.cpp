#include "kernels_page.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <set>

#include "gpuopt/kernel.h"
#include "record_read.h"

namespace gpuopt_bench {
namespace {

// Descriptors of libraries before it have no such field.
template <class Kernel>
auto aliases_of(const Kernel &k, int) -> decltype(k.aliases) {
  return k.aliases;
}
template <class Kernel>
const char *aliases_of(const Kernel &, long) {
  return nullptr;
}

bool in_list(const std::string &list, const std::string &name) {
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

std::string cell(std::string text) {  // of a table
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string time_text(double us) {
  char text[32];
  std::snprintf(text, sizeof text, us < 1000 ? "%.3g us" : "%.3g ms", us < 1000 ? us : us / 1000);
  return text;
}

std::string case_of(const Row &r) { return r.call.empty() ? r.shape + " " + r.type + " " + r.detail : r.call; }

double share_of(const Row &r) { return r.against_bound > 0 ? r.against_bound : r.against_ceiling; }

// What records say of one kernel.
struct Story {
  const Row *best = nullptr;            // nearest to its bound; else the highest rate
  std::set<std::string> could, chosen;  // calls
  std::vector<std::string> types;       // of the first operand, where it was chosen
  double least_us = 0, most_us = 0;     // where it was chosen

  void take(const Row &r) {
    if (!r.timing.ok() || r.timing.median_us <= 0) return;
    const bool nearer = best == nullptr || share_of(r) > share_of(*best) ||
                        (share_of(r) == 0 && share_of(*best) == 0 && r.rate > best->rate);
    if (nearer) best = &r;
    if (r.mode != Mode::single || r.cache != Cache::cold) return;
    const std::string call = case_of(r);
    could.insert(call);
    if (r.role != Role::automatic) return;
    chosen.insert(call);
    const std::string type = r.type.substr(0, r.type.find_first_of(",> +"));
    if (!type.empty() && std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
    if (least_us == 0 || r.timing.median_us < least_us) least_us = r.timing.median_us;
    most_us = std::max(most_us, r.timing.median_us);
  }

  std::string best_text(bool bounds) const {
    if (best == nullptr) return bounds ? "none | - | -" : "none | -";
    std::string text = best->shape + " " + best->type + (best->detail.empty() ? "" : " " + best->detail);
    if (best->suite.rfind("selection_", 0) == 0) text = best->shape + " " + best->type;  // the rest is a number
    text = cell(text) + " | " + time_text(best->timing.median_us) + (best->mode == Mode::graph ? " (G)" : "");
    if (!bounds) return text;
    char share[32];
    std::snprintf(share, sizeof share, "%.0f %%", 100 * share_of(*best));
    return text + " | " + (share_of(*best) > 0 ? share : "-");
  }

  std::string chosen_text(const gpuopt_kernel &k) const {
    if (k.flags & GPUOPT_KERNEL_TEACHING) return "only when forced: it teaches";
    if (k.predict_us == nullptr) return "only when forced";
    if (chosen.empty()) return "in none of " + std::to_string(could.size());
    std::vector<std::string> sorted = types;
    std::sort(sorted.begin(), sorted.end());
    std::string text = std::to_string(chosen.size()) + " of " + std::to_string(could.size()) + ":";
    for (const std::string &type : sorted) text += " " + type;
    return text + ", " + time_text(least_us) + (most_us > least_us ? " to " + time_text(most_us) : "");
  }
};

// Does any row? Records of the suite selection have neither bounds nor graphs.
template <class Holds>
bool any_row(const std::vector<NamedRecord> &records, Holds holds) {
  return std::any_of(records.begin(), records.end(), [&](const NamedRecord &named) {
    return std::any_of(named.record.rows.begin(), named.record.rows.end(), holds);
  });
}

std::string kernel_line(const gpuopt_kernel &k, const std::vector<NamedRecord> &records, bool bounds) {
  const char *aliases = k.struct_size >= sizeof k ? aliases_of(k, 0) : nullptr;
  const std::string former = aliases != nullptr ? aliases : "";
  Story story;
  for (const NamedRecord &named : records) {
    std::set<std::string> own;  // cases that it has under its present name: a former name in them was another kernel's
    for (const Row &r : named.record.rows)
      if (r.kernel == k.name) own.insert(case_of(r));
    for (const Row &r : named.record.rows)
      if ((r.role == Role::automatic || r.role == Role::kernel) &&
          (r.kernel == k.name || (in_list(former, r.kernel) && own.count(case_of(r)) == 0)))
        story.take(r);
  }
  std::string line = std::string("| `") + k.name + "`";
  if (!former.empty()) {
    std::string names = former;
    for (size_t at = 0; (at = names.find(',', at)) != std::string::npos; at += 2) names.replace(at, 1, ", ");
    line += " (formerly " + names + ")";
  }
  return line + " | " + cell(k.summary) + " | " + story.best_text(bounds) + " | " + story.chosen_text(k) + " |\n";
}

}  // namespace

std::string kernels_page(const std::vector<NamedRecord> &records, bool made_up) {
  std::string text = "# Kernels\n\nMade by `gpuopt_bench kernels-md` from the kernels' descriptors and ";
  for (size_t i = 0; i < records.size(); ++i)
    text += (i == 0 ? "" : " and ") + ("[" + records[i].name + "](../bench/results/" + records[i].name + ")");
  if (!records.empty()) text += " (" + records[0].record.device.name + ", commit " + records[0].record.commit + ")";
  const bool bounds = any_row(records, [](const Row &r) { return share_of(r) > 0; });
  text += "; not\nedited by hand. The best recorded case is the one ";
  text +=
      bounds ? "nearest to its bound: the arithmetic units' peak for gemm, the copy or\nread of the same bytes for the "
               "others"
             : "of highest rate, as this record has no bounds";
  if (any_row(records, [](const Row &r) { return r.mode == Mode::graph; })) text += "; (G) is per call in a graph";
  text +=
      ". Chosen: in how many\nof the record's problems that it ran, their first operand's types, and how long it took "
      "there. What a name was before is still\nfound.\n";
  for (int32_t op = 1; op < GPUOPT_OP_COUNT_; ++op) {
    std::string lines;
    for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
      const gpuopt_kernel &k = *gpuopt_kernel_get(i);
      if (k.op != op || (k.flags & GPUOPT_KERNEL_HOST)) continue;
      if (made_up || std::string(k.name).find("_synthetic_") == std::string::npos)
        lines += kernel_line(k, records, bounds);
    }
    if (!lines.empty())
      text += std::string("\n## ") + gpuopt_op_name(op) + "\n\n| kernel | what it is | best recorded case | time | " +
              (bounds ? "of its bound | " : "") + "chosen |\n|---|---|---|---:|" + (bounds ? "---:|" : "") + "---|\n" +
              lines;
  }
  return text;
}

int run_kernels_md(const std::vector<std::string> &paths) {
  if (paths.empty()) {
    std::fprintf(stderr, "gpuopt_bench kernels-md RECORD ...\n");
    return 2;
  }
  try {
    std::vector<NamedRecord> records;
    for (const std::string &path : paths)
      records.push_back({path.substr(path.find_last_of('/') + 1), read_record(path)});
    std::fputs(kernels_page(records).c_str(), stdout);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "gpuopt_bench kernels-md: %s\n", e.what());
    return 1;
  }
  return 0;
}

}  // namespace gpuopt_bench
