#include "cpu_quota.h"

#include <cstdlib>
#include <fstream>
#include <limits>
#include <vector>

namespace gpuopt {
namespace {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool has_word(const std::string &list, const char *word) {
  for (const std::string &item : split(list, ','))
    if (item == word) return true;
  return false;
}

// mountinfo writes a space in a path as \040.
std::string unescaped(const std::string &text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain += static_cast<char>(std::strtol(text.substr(i + 1, 3).c_str(), nullptr, 8));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// The path below a mount of `mounted`, which is what the process's own view may show of the hierarchy; "" where the process
// is outside of it.
std::string below(const std::string &path, const std::string &mounted) {
  if (path.find("/..") != std::string::npos || path == "/") return "";
  if (mounted == "/") return path;
  const bool inside =
      path.compare(0, mounted.size(), mounted) == 0 && (path.size() == mounted.size() || path[mounted.size()] == '/');
  return inside ? path.substr(mounted.size()) : "";
}

// Whole numbers of a file's first line; "max" and what cannot be read are -1.
std::vector<long long> numbers_in(const std::string &file) {
  std::ifstream in(file);
  std::string line;
  std::vector<long long> numbers;
  if (!std::getline(in, line)) return {-1};
  for (const std::string &text : split(line, ' ')) {
    char *end = nullptr;
    const long long n = std::strtoll(text.c_str(), &end, 10);
    numbers.push_back(end == text.c_str() || *end != 0 ? -1 : n);
  }
  return numbers;
}

// Processors, or infinity.
double quota_of(const std::string &folder, bool version_2) {
  std::vector<long long> pair;
  if (version_2)
    pair = numbers_in(folder + "/cpu.max");
  else
    pair = {numbers_in(folder + "/cpu.cfs_quota_us")[0], numbers_in(folder + "/cpu.cfs_period_us")[0]};
  if (pair.size() != 2 || pair[0] <= 0 || pair[1] <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(pair[0]) / static_cast<double>(pair[1]);
}

}  // namespace

int32_t cgroup_cpus(const std::string &root) {
  // Each line: number, controllers (none for version 2), path.
  std::string paths[2];
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty())
      paths[1] = line.substr(second + 1);
    else if (has_word(controllers, "cpu"))
      paths[0] = line.substr(second + 1);
  }
  // Each line: id, parent, device, what of the hierarchy is mounted, where, options ..., "-", type, source, options.
  double least = std::numeric_limits<double>::infinity();
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> before = split(line.substr(0, dash), ' '), after = split(line.substr(dash + 3), ' ');
    if (before.size() < 5 || after.size() < 3) continue;
    const bool version_2 = after[0] == "cgroup2";
    if (!version_2 && !(after[0] == "cgroup" && has_word(after[2], "cpu"))) continue;
    if (paths[version_2].empty()) continue;
    const std::string top = root + unescaped(before[4]);
    for (std::string path = below(paths[version_2], unescaped(before[3]));; path.resize(path.rfind('/'))) {
      const double here = quota_of(top + path, version_2);
      if (here < least) least = here;
      if (path.find('/') == std::string::npos) break;
    }
  }
  if (!(least < 65536)) return 0;
  const auto whole = static_cast<int32_t>(least);
  return whole < least ? whole + 1 : whole;
}

}  // namespace gpuopt
