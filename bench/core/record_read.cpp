#include "record_read.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace gpuopt_bench {
namespace {

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

Record read_earlier(const std::string &path, const Record &now) {
  if (!std::ifstream(path)) return Record();
  Record old = read_record(path);
  if (old.device.name != now.device.name || old.commit != now.commit)
    throw std::runtime_error(path + " is a record of " + old.device.name + ", commit " + old.commit +
                             "; this run is of " + now.device.name + ", commit " + now.commit);
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
