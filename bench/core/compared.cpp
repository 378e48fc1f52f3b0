#include "compared.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include "samples.h"

namespace gpuopt_bench {

std::vector<double> compared_us(const std::vector<ModeTimes> &kernels) {
  double least_us = INFINITY;
  bool captured = false;
  for (const ModeTimes &k : kernels) {
    if (k.single_us > 0) least_us = std::min(least_us, k.single_us);
    captured |= k.graph_us > 0;
  }
  const bool both = captured && least_us <= gpuopt_measure::kLongestShortUs;
  std::vector<double> us;
  for (const ModeTimes &k : kernels)
    us.push_back(both ? gpuopt_measure::both_modes(k.single_us, k.graph_us) : k.single_us);
  return us;
}

std::vector<double> compared_us(const std::vector<Row> &rows) {
  struct Call {
    std::vector<ModeTimes> kernels;
    std::unordered_map<std::string, size_t> place;   // of a kernel
    std::vector<std::pair<size_t, size_t>> singles;  // row, kernel
  };
  std::unordered_map<std::string, Call> calls;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row &r = rows[i];
    const bool ours = r.role == Role::automatic || r.role == Role::kernel;
    if (!ours || r.call.empty() || !r.timing.ok() || r.timing.median_us <= 0 || r.cache != Cache::cold) continue;
    Call &call = calls[r.suite + " " + r.call];
    const auto [place, fresh] = call.place.emplace(r.kernel, call.kernels.size());
    if (fresh) call.kernels.emplace_back();
    ModeTimes &times = call.kernels[place->second];
    if (r.mode == Mode::single) call.singles.emplace_back(i, place->second);
    double &us = r.mode == Mode::single ? times.single_us : times.graph_us;
    if (us == 0) us = r.timing.median_us;
  }
  std::vector<double> all(rows.size(), 0);
  for (const auto &[name, call] : calls) {
    const std::vector<double> us = compared_us(call.kernels);
    for (const auto &[row, kernel] : call.singles) all[row] = us[kernel];
  }
  return all;
}

}  // namespace gpuopt_bench
