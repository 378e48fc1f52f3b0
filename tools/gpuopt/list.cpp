// `gpuopt list`: the registered kernels, what they use of a multiprocessor, or the API's tables; as text, markdown, JSON.
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "commands.h"
#include "gpuopt/kernel.h"
#include "json.h"
#include "occupancy.h"
#include "sass.h"
#include "tables.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

struct ListArguments {
  std::string op, kernel = "*", pretend, sass;
  bool tables = false, occupancy = false, markdown = false, json = false, csv = false;
};

// The types of one signature in order, without the places an op does not have.
std::string signature_text(int32_t op, const gpuopt_signature &s) {
  const int places[GPUOPT_OP_COUNT_][4] = {
      {}, {0, 1, 2, 3}, {0, -1, -1, -1}, {0, 2, -1, -1}, {0, 2, -1, -1}, {0, 2, -1, -1}, {0, 1, 2, 3}};
  std::string text;
  for (int place : places[op])
    if (place >= 0)
      text += (text.empty() ? "" : ",") +
              std::string(s.dtype[place] == GPUOPT_ANY ? "*" : gpuopt_dtype_name(s.dtype[place]));
  if ((op == GPUOPT_OP_GEMM || op == GPUOPT_OP_GEMM_GROUPED) && s.compute != GPUOPT_ANY)
    text += std::string(":") + gpuopt_compute_name(s.compute);
  return text;
}

std::vector<std::string> signatures(const gpuopt_kernel &k) {
  std::vector<std::string> all;
  std::set<std::string> seen;
  for (size_t i = 0; i < k.signature_count; ++i) {
    const std::string text = signature_text(k.op, k.signatures[i]);
    if (seen.insert(text).second) all.push_back(text);
  }
  return all;
}

std::string short_signatures(const gpuopt_kernel &k) {
  const std::vector<std::string> all = signatures(k);
  std::string text;
  for (size_t i = 0; i < all.size() && i < 3; ++i) text += (i ? " " : "") + all[i];
  if (all.size() > 3) text += " +" + std::to_string(all.size() - 3);
  return text;
}

std::string devices_text(const gpuopt_kernel &k) {
  static const char *const sets[] = {"cpu", "cpu avx2", "cpu avx512"};
  if (k.flags & GPUOPT_KERNEL_HOST) return sets[k.isa_min < 0 || k.isa_min > 2 ? 0 : k.isa_min];
  if (k.cc_exact) return "sm_" + std::to_string(k.cc_exact) + "a";
  if (k.cc_max) return "sm_" + std::to_string(k.cc_min) + "-" + std::to_string(k.cc_max);
  return k.cc_min ? "sm_" + std::to_string(k.cc_min) + "+" : "any gpu";
}

std::vector<std::string> flag_names(const gpuopt_kernel &k) {
  std::vector<std::string> names;
  if (k.flags & GPUOPT_KERNEL_HOST) names.push_back("host");
  if (k.flags & GPUOPT_KERNEL_TEACHING) names.push_back("teaching");
  if (k.flags & GPUOPT_KERNEL_NONDETERMINISTIC) names.push_back("nondeterministic");
  if (k.flags & GPUOPT_KERNEL_NOT_CAPTURABLE) names.push_back("not_capturable");
  return names;
}

std::string joined(const std::vector<std::string> &words, const char *separator) {
  std::string text;
  for (const std::string &w : words) text += (text.empty() ? "" : separator) + w;
  return text;
}

Json json_of(const gpuopt_kernel &k) {
  return {{"name", k.name},
          {"op", gpuopt_op_name(k.op)},
          {"version", k.version},
          {"types", signatures(k)},
          {"devices", devices_text(k)},
          {"flags", flag_names(k)},
          {"formerly", former_names(k)},
          {"origin", gpuopt_kernel_origin(&k)},
          {"summary", k.summary ? k.summary : ""}};
}

std::string summary_text(const gpuopt_kernel &k) {
  const std::string former = joined(former_names(k), ", ");
  return std::string(k.summary ? k.summary : "") + (former.empty() ? "" : " (formerly " + former + ")");
}

int list(const ListArguments &o) {
  if (o.tables) {
    print_tables();
    return kOk;
  }
  if (!o.sass.empty()) return list_sass(o.sass, o.pretend);
  if (!o.pretend.empty() && !o.occupancy) throw CLI::ValidationError("--pretend", "requires --occupancy or --sass");
  const int32_t op = o.op.empty() ? 0 : parse_op("--op", o.op);
  if (o.occupancy) return list_occupancy({op, o.kernel, o.pretend, o.markdown, o.json});
  Table table({"kernel", "op", "types", "devices", "flags", "summary"});
  Json json = Json::array();
  size_t count = 0;
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    if ((op && k.op != op) || !matches_kernel(o.kernel, k)) continue;
    ++count;
    table.add({o.markdown ? "`" + std::string(k.name) + "`" : k.name, gpuopt_op_name(k.op), short_signatures(k),
               devices_text(k), joined(flag_names(k), " "), summary_text(k)});
    json.push_back(json_of(k));
  }
  if (o.json)
    print_json(json);
  else if (o.csv)
    print_csv(json);
  else if (o.markdown)
    table.print_markdown();
  else
    table.print();
  if (count == 0) std::fprintf(stderr, "gpuopt list: no kernel matches\n");
  return count ? kOk : kFailure;
}

}  // namespace

void add_list(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<ListArguments>();
  CLI::App *verb = app.add_subcommand("list", "The registered kernels, or the closed tables of the API");
  add_plugin_option(verb);
  verb->add_option("--op", o->op, "Only this op: " + op_names());
  verb->add_option("--kernel", o->kernel, "Only names that match one of these globs (a comma list)");
  CLI::Option *markdown = verb->add_flag("--markdown", o->markdown, "As a markdown table");
  CLI::Option *json = verb->add_flag("--json", o->json, "As JSON")->excludes(markdown);
  CLI::Option *csv = verb->add_flag("--csv", o->csv, "As CSV")->excludes(markdown)->excludes(json);
  verb->add_flag("--tables", o->tables, "The closed tables as markdown (docs/tables.md)")
      ->excludes(json)
      ->excludes(csv);
  CLI::Option *occupancy =
      verb->add_flag("--occupancy", o->occupancy, "Registers, shared memory and occupancy of every entry function")
          ->excludes(csv);
  verb->add_option("--sass", o->sass, "The machine code of this kernel, as cuobjdump shows it")
      ->excludes(occupancy)
      ->excludes(json)
      ->excludes(csv)
      ->excludes(markdown);
  verb->add_option("--pretend", o->pretend, "With --occupancy, --sass: on this device (sm_80), not this machine's");
  verb->callback([o, exit_code] { *exit_code = list(*o); });
}

}  // namespace gpuopt_cli
