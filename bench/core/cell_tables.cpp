#include "cell_tables.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

namespace gpuopt_bench {
namespace {

struct Table {
  std::string shape;
  std::vector<std::string> types, details;
  std::map<std::pair<std::string, std::string>, const Row *> at;  // (detail, type)
};

void remember(std::vector<std::string> *names, const std::string &name) {
  if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
}

std::vector<Table> tables_of(const std::vector<Row> &rows) {
  std::vector<Table> tables;
  for (const Row &r : rows) {
    if (r.suite != "fused_table") continue;
    auto table = std::find_if(tables.begin(), tables.end(), [&](const Table &t) { return t.shape == r.shape; });
    if (table == tables.end()) table = tables.insert(table, {r.shape, {}, {}, {}});
    remember(&table->types, r.type);
    remember(&table->details, r.detail);
    table->at[{r.detail, r.type}] = &r;
  }
  return tables;
}

// "97", or "71 (93)" where something other than the copy bounds the call.
std::string cell_text(const Row &r) {
  if (!r.timing.ok()) return "failed";
  char text[48];
  if (r.against_bound > 1.01 * r.against_ceiling)
    std::snprintf(text, sizeof text, "%.0f (%.0f)", 100 * r.against_ceiling, 100 * r.against_bound);
  else
    std::snprintf(text, sizeof text, "%.0f", 100 * r.against_ceiling);
  return text;
}

std::string worst_text(const std::vector<Row> &rows, const char *of, double Row::*share) {
  const Row *least = nullptr;
  for (const Row &r : rows)
    if (r.suite == "fused_table" && r.timing.ok() && (least == nullptr || r.*share < least->*share)) least = &r;
  if (least == nullptr) return "";
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %% of the %s", 100 * (least->*share), of);
  return std::string(text) + " (" + least->shape + ", " + least->type + ", " + least->detail + ", by `" +
         least->kernel + "`)";
}

}  // namespace

std::string cell_tables(const std::vector<Row> &rows) {
  std::string out;
  for (const Table &table : tables_of(rows)) {
    if (out.empty())
      out =
          "\n## fused_act: types, chains and alignments\n\n8192 x 8192 (odd width: 8191), single calls: the automatic "
          "choice in percent of the copy of the same bytes; in brackets in percent of the call's bound, where that is "
          "not the copy but the instructions or the special functions that its elements need at the least. The worst "
          "cell: " +
          worst_text(rows, "copy", &Row::against_ceiling) +
          "; of its bound: " + worst_text(rows, "bound", &Row::against_bound) + ".\n";
    out += "\n### " + table.shape + "\n\n| chain |";
    std::string line = "|---|";
    for (const std::string &type : table.types) {
      out += " " + type + " |";
      line += "---:|";
    }
    out += "\n" + line + "\n";
    for (const std::string &detail : table.details) {
      out += "| " + detail + " |";
      for (const std::string &type : table.types) {
        const auto row = table.at.find({detail, type});
        out += " " + (row == table.at.end() ? "-" : cell_text(*row->second)) + " |";
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace gpuopt_bench
