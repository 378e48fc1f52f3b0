#include "record_read.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>

namespace gpuopt_bench {
namespace {

// The fields of one flat JSON object; strings without their quotes and escapes, everything else as it stands.
std::map<std::string, std::string> fields_of(const std::string &line) {
  std::map<std::string, std::string> fields;
  size_t at = 0;
  const auto quoted = [&] {
    std::string text;
    for (++at; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] == '\\') ++at;
      if (at < line.size()) text += line[at];
    }
    ++at;
    return text;
  };
  for (;;) {
    at = line.find('"', at);
    if (at == std::string::npos) return fields;
    const std::string name = quoted();
    at = line.find_first_not_of(": ", at);
    if (at == std::string::npos) return fields;
    if (line[at] == '{') continue;  // the fields of an object within count as the line's own
    if (line[at] == '"') {
      fields[name] = quoted();
    } else {
      const size_t end = std::min(line.find_first_of(",}", at), line.size());
      fields[name] = line.substr(at, end - at);
      at = end;
    }
  }
}

double number(const std::map<std::string, std::string> &fields, const char *name) {
  const auto found = fields.find(name);
  return found == fields.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
}

std::string text(const std::map<std::string, std::string> &fields, const char *name) {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

Row row_of(const std::map<std::string, std::string> &f) {
  Row r;
  r.suite = text(f, "suite");
  r.shape = text(f, "shape");
  r.type = text(f, "type");
  r.detail = text(f, "detail");
  r.contender = text(f, "contender");
  r.kernel = text(f, "kernel");
  for (const Role role : {Role::automatic, Role::kernel, Role::peer, Role::ceiling, Role::reference})
    if (text(f, "role") == word(role)) r.role = role;
  r.mode = text(f, "mode") == word(Mode::graph) ? Mode::graph : Mode::single;
  r.cache = text(f, "cache") == word(Cache::resident) ? Cache::resident : Cache::cold;
  r.timing = {number(f, "median_us"),
              number(f, "p10_us"),
              number(f, "p90_us"),
              static_cast<int>(number(f, "samples")),
              static_cast<int>(number(f, "calls")),
              text(f, "failure")};
  r.rate = number(f, "rate");
  r.unit = text(f, "unit");
  r.best_peer = text(f, "best_peer");
  r.against_peer = number(f, "against_peer");
  r.against_ceiling = number(f, "against_ceiling");
  r.against_bound = number(f, "against_bound");
  r.problem = text(f, "problem");
  return r;
}

Check check_of(const std::map<std::string, std::string> &f) {
  Check c = {text(f, "name"), f.count("value") ? number(f, "value") : NAN, number(f, "limit"), text(f, "unit"),
             text(f, "ok") == "true"};
  c.target = text(f, "target") == "true";
  for (const Bound bound : {Bound::at_most, Bound::at_least, Bound::above})
    if (text(f, "bound") == word(bound)) c.bound = bound;
  c.note = text(f, "note");
  return c;
}

bool same(const Row &a, const Row &b) {
  return a.suite == b.suite && a.problem == b.problem && a.shape == b.shape && a.type == b.type &&
         a.detail == b.detail && a.contender == b.contender && a.mode == b.mode && a.cache == b.cache;
}

void group_by_suite(std::vector<Row> *rows) {
  std::vector<std::string> order;
  for (const Row &r : *rows)
    if (std::find(order.begin(), order.end(), r.suite) == order.end()) order.push_back(r.suite);
  const auto place = [&](const Row &r) { return std::find(order.begin(), order.end(), r.suite); };
  std::stable_sort(rows->begin(), rows->end(), [&](const Row &a, const Row &b) { return place(a) < place(b); });
}

}  // namespace

Record read_record(const std::string &path, const Record &record) {
  Record old;
  std::ifstream file(path);
  if (!file) return old;
  std::string where;  // the array that the lines belong to
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("\"checks\"", 0) == 0 || line.find("\"checks\": [") != std::string::npos) where = "checks";
    if (line.rfind("\"rows\"", 0) == 0 || line.find("\"rows\": [") != std::string::npos) where = "rows";
    const std::map<std::string, std::string> f = fields_of(line);
    if (where.empty()) {
      if (f.count("commit")) old.commit = text(f, "commit");
      if (f.count("arguments")) old.arguments = text(f, "arguments");
      if (f.count("cc")) old.device.name = text(f, "name");
    } else if (where == "checks" && f.count("limit")) {
      old.checks.push_back(check_of(f));
    } else if (where == "rows" && f.count("suite")) {
      old.rows.push_back(row_of(f));
    }
  }
  if (old.device.name != record.device.name || old.commit != record.commit)
    throw std::runtime_error(path + " is a record of " + old.device.name + ", commit " + old.commit +
                             "; this run is of " + record.device.name + ", commit " + record.commit);
  return old;
}

void continue_record(const Record &old, Record *record) {
  if (!old.arguments.empty()) record->arguments = old.arguments + " ; " + record->arguments;
  std::vector<Row> rows;
  for (const Row &r : old.rows)
    if (std::none_of(record->rows.begin(), record->rows.end(), [&](const Row &now) { return same(r, now); }))
      rows.push_back(r);
  rows.insert(rows.end(), record->rows.begin(), record->rows.end());
  group_by_suite(&rows);
  record->rows = std::move(rows);
  std::vector<Check> checks;
  for (const Check &c : old.checks)
    if (std::none_of(record->checks.begin(), record->checks.end(),
                     [&](const Check &now) { return c.name == now.name; }))
      checks.push_back(c);
  checks.insert(checks.end(), record->checks.begin(), record->checks.end());
  record->checks = std::move(checks);
}

}  // namespace gpuopt_bench
