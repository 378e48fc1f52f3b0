#include "algorithms.h"

#include <algorithm>

#include "gpuopt/kernel.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

struct Parts {
  std::string kernel, algorithm, second;
};

Parts parts_of(const std::string &name) {
  const size_t plus = std::min(name.find('+'), name.size()), at = name.find('@');
  Parts p;
  p.kernel = name.substr(0, std::min(at, plus));
  if (at < plus) p.algorithm = name.substr(at + 1, plus - at - 1);
  if (plus < name.size()) p.second = name.substr(plus + 1);
  return p;
}

std::string name_of(const Parts &p) {
  return p.kernel + (p.algorithm.empty() ? "" : "@" + p.algorithm) + (p.second.empty() ? "" : "+" + p.second);
}

std::string version_text(const std::string &kernel) {
  const gpuopt_kernel *const k = gpuopt_kernel_find(kernel.c_str());
  return k ? std::to_string(k->version) : "";
}

// Of a kernel, or of both: "3+1".
std::string versions_text(const std::string &name) {
  const Parts p = parts_of(name);
  return version_text(p.kernel) + (p.second.empty() ? "" : "+" + version_text(p.second));
}

}  // namespace

std::string without_algorithm(const std::string &name) {
  Parts p = parts_of(name);
  p.algorithm.clear();
  return name_of(p);
}

std::vector<std::string> other_algorithms(gpuopt_handle *handle, gpuopt_call::Call *call, const std::string &kernel) {
  Parts p = parts_of(kernel);
  const gpuopt_kernel *const k = gpuopt_kernel_find(p.kernel.c_str());
  std::vector<std::string> names;
  if (!k || !k->algorithms) return names;
  char text[GPUOPT_ALGORITHMS_BYTES];
  size_t length = 0;
  gpuopt_status s = gpuopt_set_kernel(handle, kernel.c_str());
  if (s == GPUOPT_OK) s = gpuopt_algorithms(handle, call->args(), text, sizeof text, &length);
  gpuopt_set_kernel(handle, nullptr);
  if (s != GPUOPT_OK || length == 0) return names;
  for (const std::string &algorithm : split(text, ' ')) {
    p.algorithm = algorithm;
    names.push_back(name_of(p));
  }
  names.erase(names.begin());
  return names;
}

std::string time_text(const std::string &name, double us) {
  const std::string algorithm = parts_of(name).algorithm;
  return "time=" + formatted(us, "%.5g") + ":" + versions_text(name) + ":" + without_algorithm(name) +
         (algorithm.empty() ? "" : "@" + algorithm);
}

std::string times_of_this_build(const std::string &times) {
  std::string kept;
  for (const std::string &word : split(times, ' ')) {
    // time=microseconds:versions:kernel, where the kernel's name may have colons, too.
    const size_t first = word.find(':'), second = word.find(':', std::min(first, word.size() - 1) + 1);
    if (word.rfind("time=", 0) != 0 || second == std::string::npos) continue;
    if (word.substr(first + 1, second - first - 1) != versions_text(word.substr(second + 1))) continue;
    kept += (kept.empty() ? "" : " ") + word;
  }
  return kept;
}

std::string choice_text(const std::string &name) {
  const Parts p = parts_of(name);
  const std::string text = "kernel=" + without_algorithm(name) + " version=" + versions_text(name);
  return p.algorithm.empty() ? text : text + " algorithm=" + p.algorithm;
}

std::string chosen_in(const std::string &choice) {
  std::string kernel, algorithm;
  for (const std::string &word : split(choice, ' ')) {
    if (word.rfind("kernel=", 0) == 0) kernel = word.substr(7);
    if (word.rfind("algorithm=", 0) == 0) algorithm = word.substr(10);
  }
  Parts p = parts_of(kernel);
  p.algorithm = algorithm;
  return name_of(p);
}

}  // namespace gpuopt_cli
