#include "gpuopt_lab/ncu_csv.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace gpuopt_lab {
namespace {

// "1,234.5" as 1234.5; false: no number.
bool read_number(std::string text, double *value) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  if (text.empty()) return false;
  char *end = nullptr;
  *value = std::strtod(text.c_str(), &end);
  return *end == '\0';
}

// Nsight Compute scales bytes and counts by a letter before the unit.
double factor_of(const std::string &unit) {
  if (unit.size() < 2 || unit == "msecond" || unit == "usecond" || unit == "nsecond") return 1;
  const std::string rest = unit.substr(1);
  const bool scaled = rest == "byte" || rest == "byte/s" || rest.rfind("byte/", 0) == 0 || rest == "inst";
  if (!scaled) return 1;
  switch (unit[0]) {
    case 'K':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    default:
      return 1;
  }
}

}  // namespace

std::vector<std::string> csv_fields(const std::string &line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

NcuOutput read_ncu_csv(const std::string &text) {
  NcuOutput out;
  std::vector<std::string> head, units;
  size_t name = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("==ERROR==", 0) == 0 && out.fault.empty()) out.fault = line.substr(10);
    if (line.empty() || line.rfind("==", 0) == 0) continue;
    const std::vector<std::string> fields = csv_fields(line);
    if (head.empty()) {
      const auto at = std::find(fields.begin(), fields.end(), "Kernel Name");
      if (at == fields.end()) continue;
      head = fields;
      name = static_cast<size_t>(at - fields.begin());
      continue;
    }
    if (fields.size() != head.size()) continue;  // a line of the program's, or one that is cut off
    if (units.empty()) {
      units = fields;
      if (fields[name].empty()) continue;  // the units' line names no kernel
      units.assign(head.size(), "");
    }
    NcuKernel kernel;
    kernel.name = fields[name];
    for (size_t i = name + 1; i < fields.size(); ++i) {
      double value = 0;
      if (read_number(fields[i], &value)) kernel.metrics[head[i]] = value * factor_of(units[i]);
    }
    out.kernels.push_back(std::move(kernel));
  }
  if (!out.kernels.empty()) out.fault.clear();
  if (out.kernels.empty() && out.fault.empty())
    out.fault = head.empty() ? "ncu printed no table" : "ncu's table has no kernel";
  return out;
}

}  // namespace gpuopt_lab
