#include "ladder_table.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace gpuopt_bench {
namespace {

// One contender over the sizes: its row in a graph where there is one, else its single call.
struct Rung {
  std::string name;
  bool ours = false;
  std::map<std::string, const Row *> at;  // shape -> row
};

struct Table {
  std::string types;
  std::vector<std::string> shapes;
  std::vector<Rung> rungs;
};

std::string name_of(const Row &r) { return r.kernel.empty() ? r.contender : r.kernel; }

void take(const Row &r, Table *table) {
  if (std::find(table->shapes.begin(), table->shapes.end(), r.shape) == table->shapes.end())
    table->shapes.push_back(r.shape);
  auto rung =
      std::find_if(table->rungs.begin(), table->rungs.end(), [&](const Rung &x) { return x.name == name_of(r); });
  if (rung == table->rungs.end()) rung = table->rungs.insert(rung, {name_of(r), !r.kernel.empty(), {}});
  const Row *&have = rung->at[r.shape];
  if (have == nullptr || !have->timing.ok() || (r.mode == Mode::graph && r.timing.ok())) have = &r;
}

std::vector<Table> tables_of(const std::vector<Row> &rows) {
  std::vector<Table> tables;
  for (const Row &r : rows) {
    if (r.suite != "ladder" || r.role == Role::ceiling) continue;
    const std::string types = r.type + " " + r.detail;
    auto table = std::find_if(tables.begin(), tables.end(), [&](const Table &t) { return t.types == types; });
    if (table == tables.end()) table = tables.insert(table, {types, {}, {}});
    take(r, &*table);
  }
  return tables;
}

double rate_at(const Rung &rung, const std::string &shape) {
  const auto row = rung.at.find(shape);
  return row == rung.at.end() || !row->second->timing.ok() ? 0 : row->second->rate;
}

// Slowest first at the largest size; what was not timed there comes before.
bool lower(const Rung &a, const Rung &b, const std::vector<std::string> &shapes) {
  for (auto shape = shapes.rbegin(); shape != shapes.rend(); ++shape) {
    const double x = rate_at(a, *shape), y = rate_at(b, *shape);
    if (x != y) return x < y;
  }
  return false;
}

// "3.42 ms", "812 us"
std::string time_text(double us) {
  char text[32];
  std::snprintf(text, sizeof text,
                us < 1e3   ? "%.1f us"
                : us < 1e6 ? "%.3g ms"
                           : "%.3g s",
                us < 1e3   ? us
                : us < 1e6 ? us * 1e-3
                           : us * 1e-6);
  return text;
}

std::string cells(const Rung &rung, const std::string &shape) {
  const auto found = rung.at.find(shape);
  if (found == rung.at.end()) return " - | | | |";
  const Row &r = *found->second;
  if (!r.timing.ok()) return " failed | | | |";
  char text[128];
  const std::string peer = r.against_peer > 0 ? std::to_string(r.against_peer).substr(0, 5) : "";
  std::snprintf(text, sizeof text, " %s | %.4g | %s |", time_text(r.timing.median_us).c_str(), r.rate, peer.c_str());
  std::string out = text;
  if (r.against_ceiling > 0) {
    std::snprintf(text, sizeof text, " %.1f %% |", 100 * r.against_ceiling);
    return out + text;
  }
  return out + " |";
}

}  // namespace

std::string ladder_tables(const std::vector<Row> &rows) {
  std::string out;
  for (Table &table : tables_of(rows)) {
    if (out.empty())
      out =
          "\n## The ladder\n\nEvery gemm kernel forced by name, slowest first; the automatic choice and the peers "
          "among "
          "them (peers in italics). TFLOP/s; \"x peer\": the best peer's time over the kernel's; \"limit\": share of "
          "the "
          "arithmetic units' peak at the highest SM clock. In a graph where a call is short, else single calls.\n";
    std::sort(table.rungs.begin(), table.rungs.end(),
              [&](const Rung &a, const Rung &b) { return lower(a, b, table.shapes); });
    std::string head = "| kernel |", line = "|---|";
    for (const std::string &shape : table.shapes) {
      head += " " + shape.substr(0, shape.find('x')) + " | TFLOP/s | x peer | limit |";
      line += "---:|---:|---:|---:|";
    }
    out += "\n### " + table.types + "\n\n" + head + "\n" + line + "\n";
    for (const Rung &rung : table.rungs) {
      out += rung.ours ? "| `" + rung.name + "` |" : "| *" + rung.name + "* |";
      for (const std::string &shape : table.shapes) out += cells(rung, shape);
      out += "\n";
    }
  }
  return out;
}

}  // namespace gpuopt_bench
