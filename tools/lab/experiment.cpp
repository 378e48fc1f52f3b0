#include "gpuopt_lab/experiment.h"

#include <algorithm>
#include <cctype>
#include <tuple>

namespace gpuopt_lab {

const std::vector<Experiment> &experiments() {
  static const std::vector<Experiment> all = [] {
    std::vector<Experiment> rows;
    for (const auto &more : {gemm_experiments(), memory_experiments(), warp_experiments()})
      rows.insert(rows.end(), more.begin(), more.end());
    // By text, section (a number) and letter.
    const auto place = [](const Experiment &e) {
      const size_t dot = e.id.find('.');
      size_t end = 0;
      const int section = std::stoi(e.id.substr(dot + 1), &end);
      return std::make_tuple(e.id.substr(0, dot), section, e.id.substr(dot + 1 + end));
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Experiment &a, const Experiment &b) { return place(a) < place(b); });
    return rows;
  }();
  return all;
}

const std::vector<Experiment> &twins() {
  static const std::vector<Experiment> all = triton_experiments();
  return all;
}

std::vector<const Experiment *> every_experiment() {
  std::vector<const Experiment *> every;
  for (const auto *some : {&experiments(), &twins()})
    for (const Experiment &e : *some) every.push_back(&e);
  return every;
}

std::vector<const Experiment *> find_experiments(const std::string &id) {
  std::vector<const Experiment *> found;
  for (const Experiment &e : experiments()) {
    const bool in_section = e.id.size() == id.size() + 1 && e.id.compare(0, id.size(), id) == 0 &&
                            std::isalpha(static_cast<unsigned char>(e.id.back()));
    if (id == "all" || e.id == id || in_section) found.push_back(&e);
  }
  for (const Experiment &e : twins())
    if (id == "triton" || e.id == id) found.push_back(&e);
  return found;
}

}  // namespace gpuopt_lab
