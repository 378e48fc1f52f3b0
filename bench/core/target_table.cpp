#include "target_table.h"

#include <cmath>
#include <cstdio>

namespace gpuopt_bench {
namespace {

std::string with_unit(double value, const std::string &unit) {
  char text[96];
  std::snprintf(text, sizeof text, "%.4g %s", value, unit.c_str());
  return text;
}

std::string reached(const Check &c) { return std::isnan(c.value) ? "-" : with_unit(c.value, c.unit); }

std::string met(const std::vector<Check> &checks) {
  int targets = 0, ok = 0;
  for (const Check &c : checks)
    if (c.target) ++targets, ok += c.ok ? 1 : 0;
  return targets == 0 ? "" : "met " + std::to_string(ok) + " of " + std::to_string(targets);
}

}  // namespace

std::string target_table(const std::vector<Check> &checks) {
  const std::string last = met(checks);
  if (last.empty()) return "";
  std::string out = "\n## Targets\n\nThe numbers that the library is held to: " + last +
                    ". S and cold unless stated; \"x\" is the other's time over ours; ours is the automatic choice "
                    "where no kernel is "
                    "named.\n\n| number | bound | reached | |\n|---|---:|---:|---|\n";
  for (const Check &c : checks)
    if (c.target)
      out += "| " + c.name + " | " + word(c.bound) + " " + with_unit(c.limit, c.unit) + " | " + reached(c) +
             (c.note.empty() ? "" : " (" + c.note + ")") + " | " + (c.ok ? "met" : "**short**") + " |\n";
  return out;
}

std::string target_lines(const std::vector<Check> &checks) {
  const std::string last = met(checks);
  std::string out;
  for (const Check &c : checks)
    if (c.target) {
      char head[160];
      std::snprintf(head, sizeof head, "%-5s  %-64s %2s %-22s  ", c.ok ? "met" : "short", c.name.c_str(), word(c.bound),
                    with_unit(c.limit, c.unit).c_str());
      out += head + reached(c) + (c.note.empty() ? "" : "  (" + c.note + ")") + "\n";
    }
  return last.empty() ? "" : out + last + "\n";
}

}  // namespace gpuopt_bench
