#include "choice_text.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <vector>

#include "gpuopt/gpuopt.h"
#include "gpuopt/kernel.h"

namespace gpuopt_tune {
namespace {

constexpr size_t kMostTimes = 20;  // the library reads 24
constexpr double kAsGood = 1.02;

std::string version_text(const std::string &kernel) {
  const gpuopt_kernel *const k = gpuopt_kernel_find(kernel.c_str());
  return k ? std::to_string(k->version) : "";
}

// Of a kernel, or of both: "3+1".
std::string versions_text(const std::string &name) {
  const NameParts p = parts_of(name);
  return version_text(p.kernel) + (p.second.empty() ? "" : "+" + version_text(p.second));
}

std::string time_text(const std::string &name, double us) {
  char number[32];
  std::snprintf(number, sizeof number, "time=%.5g:", us);
  const std::string algorithm = parts_of(name).algorithm;
  return number + versions_text(name) + ":" + without_algorithm(name) + (algorithm.empty() ? "" : "@" + algorithm);
}

}  // namespace

NameParts parts_of(const std::string &name) {
  const size_t plus = std::min(name.find('+'), name.size()), at = name.find('@');
  NameParts p;
  p.kernel = name.substr(0, std::min(at, plus));
  if (at < plus) p.algorithm = name.substr(at + 1, plus - at - 1);
  if (plus < name.size()) p.second = name.substr(plus + 1);
  return p;
}

std::string name_of(const NameParts &p) {
  return p.kernel + (p.algorithm.empty() ? "" : "@" + p.algorithm) + (p.second.empty() ? "" : "+" + p.second);
}

std::string without_algorithm(const std::string &name) {
  NameParts p = parts_of(name);
  p.algorithm.clear();
  return name_of(p);
}

std::string choice_text(const std::string &name) {
  const std::string algorithm = parts_of(name).algorithm;
  return "kernel=" + without_algorithm(name) + " version=" + versions_text(name) +
         (algorithm.empty() ? "" : " algorithm=" + algorithm);
}

std::string chosen_in(const std::string &choice) {
  std::string kernel, algorithm;
  std::istringstream words(choice);
  for (std::string word; words >> word;) {
    if (word.rfind("kernel=", 0) == 0) kernel = word.substr(7);
    if (word.rfind("algorithm=", 0) == 0) algorithm = word.substr(10);
  }
  NameParts p = parts_of(kernel);
  p.algorithm = algorithm;
  return name_of(p);
}

Entry measured_entry(const std::string &exact_key, const std::map<std::string, double> &times) {
  std::vector<std::pair<double, std::string>> by_time;
  for (const auto &t : times)
    if (t.second > 0) by_time.push_back({t.second, t.first});
  std::sort(by_time.begin(), by_time.end());
  std::string text;
  size_t count = 0;
  for (const auto &t : by_time) {
    const bool own = without_algorithm(t.second) == t.second;
    if (count == kMostTimes || (!own && t.first > kAsGood * by_time.front().first)) continue;
    text += (count++ ? " " : "") + time_text(t.second, t.first);
  }
  return {"measured" + exact_key.substr(std::min(exact_key.find(' '), exact_key.size())), text};
}

std::string times_of_this_build(const std::string &times) {
  std::string kept;
  std::istringstream words(times);
  for (std::string word; words >> word;) {
    // time=microseconds:versions:kernel, where the kernel's name may have colons, too.
    const size_t first = word.find(':'), second = first == std::string::npos ? first : word.find(':', first + 1);
    if (word.rfind("time=", 0) != 0 || second == std::string::npos) continue;
    const std::string kernels = word.substr(second + 1, word.find('@', second) - second - 1);
    if (word.substr(first + 1, second - first - 1) != versions_text(kernels)) continue;
    kept += (kept.empty() ? "" : " ") + word;
  }
  return kept;
}

}  // namespace gpuopt_tune
