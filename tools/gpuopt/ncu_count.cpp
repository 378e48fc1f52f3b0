#include "ncu_count.h"

#include <algorithm>
#include <cstdlib>

#include "gpuopt/kernel.h"
#include "ncu.h"
#include "program.h"

namespace gpuopt_cli {

std::string function_name(const std::string &mangled) {
  constexpr const char kNamespace[] = "6gpuopt";
  size_t at = mangled.find(kNamespace);
  if (at == std::string::npos) return "";
  at += sizeof kNamespace - 1;
  const auto length = static_cast<size_t>(std::max(std::atoi(mangled.c_str() + at), 0));
  at = mangled.find_first_not_of("0123456789", at);
  return length == 0 || at == std::string::npos || length > mangled.size() - at ? "" : mangled.substr(at, length);
}

NcuCounter::NcuCounter(bool wanted, const gpuopt_device_facts &device, std::string device_word)
    : facts_(device), device_word_(std::move(device_word)) {
  if (device.cc == 0) {
    note_ = "no GPU";
  } else if (!wanted) {
    note_ = "--no-ncu";
  } else {
    counts_ = !find_program("ncu").empty();
    if (!counts_) note_ = found_nowhere("ncu");
  }
}

double NcuCounter::count(gpuopt_lab::Metric metric, const std::string &problem, const std::string &kernel,
                         const std::string &data) {
  if (!counts_ || metric == gpuopt_lab::Metric::none) return -1;
  const gpuopt_lab::MetricName &name = gpuopt_lab::name_of(metric);
  const std::string key = kernel + "|" + problem + "|" + data;
  if (together_ && known_.count(key) == 0) {
    known_[key] = ask(gpuopt_lab::all_metrics(), problem, kernel, data);
    // A name that this ncu does not know spoils the others'.
    together_ = !known_[key].empty() || known_.size() > 1;
  }
  const std::map<std::string, double> found = together_ ? known_[key] : ask(name.ncu, problem, kernel, data);
  const auto value = found.find(name.ncu);
  return value == found.end() ? -1 : value->second * name.factor;
}

// Those that it may launch, the one that does the work first; none of a library's kernel.
std::vector<std::string> NcuCounter::functions_of(const std::string &kernel) const {
  const gpuopt_kernel *const k = gpuopt_kernel_find(kernel.c_str());
  std::vector<std::string> all;
  for (size_t i = 0; k && i < k->resource_count; ++i) {
    gpuopt_occupancy entry = GPUOPT_OCCUPANCY_INIT;
    if (gpuopt_kernel_occupancy(k, &facts_, i, &entry) != GPUOPT_OK) continue;
    const std::string name = function_name(entry.entry);
    if (!name.empty() && std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  }
  return all;
}

std::map<std::string, double> NcuCounter::ask(const std::string &metrics, const std::string &problem,
                                              const std::string &kernel, const std::string &data) {
  const std::vector<std::string> command = {own_program(), "bench",    "--problem", problem,     "--force",
                                            kernel,        "--data",   data,        "--repeat",  "1",
                                            "--cache",     "resident", "--device",  device_word_};
  for (const std::string &function : functions_of(kernel)) {
    // What comes after that launch costs 3 s under ncu, and tells nothing.
    const std::vector<std::string> one = {
        "--kernel-name", "regex:^" + function, "--launch-count", "1", "--kill", "yes"};
    try {
      const std::map<std::string, double> found =
          gpuopt_cli::count({command, metrics, one, true}).kernels.at(0).metrics;
      note_.clear();
      return found;
    } catch (const NoReport &none) {
      note_ = kernel + ": " + none.what();
      std::replace(note_.begin(), note_.end(), '\n', ' ');
      // Who has no right to the counters has none the next time either.
      counts_ = note_.find("ERR_NVGPUCTRPERM") == std::string::npos;
      if (!counts_) break;
    }
  }
  return {};
}

}  // namespace gpuopt_cli
