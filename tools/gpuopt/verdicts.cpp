#include "verdicts.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "gpuopt/kernel.h"

namespace gpuopt_cli {

void Verdicts::take(void *verdicts, const gpuopt_candidate *c) {
  Verdict v = gpuopt_check::candidate_of(*c);
  v.predicted_us = std::max(v.predicted_us, 0.0);
  static_cast<Verdicts *>(verdicts)->all_.push_back(std::move(v));
}

void Verdicts::sort() {
  const auto place = [](const Verdict &v) {
    return std::make_tuple(-v.verdict, v.predicted_us <= 0, v.predicted_us, v.kernel);
  };
  std::stable_sort(all_.begin(), all_.end(), [&](const Verdict &a, const Verdict &b) { return place(a) < place(b); });
}

const Verdict *Verdicts::chosen() const {
  return all_.empty() || all_[0].verdict != GPUOPT_VERDICT_CHOSEN ? nullptr : &all_[0];
}

const Verdict *Verdicts::find(const std::string &kernel) const {
  for (const Verdict &v : all_)
    if (v.kernel == kernel) return &v;
  return nullptr;
}

std::vector<const Verdict *> Verdicts::accepted() const {
  std::vector<const Verdict *> some;
  for (const Verdict &v : all_)
    if (v.verdict != GPUOPT_VERDICT_REJECTED) some.push_back(&v);
  return some;
}

std::vector<const Verdict *> Verdicts::rejected() const {
  std::vector<const Verdict *> some;
  for (const Verdict &v : all_)
    if (v.verdict == GPUOPT_VERDICT_REJECTED) some.push_back(&v);
  return some;
}

std::vector<Reason> Verdicts::reasons() const {
  std::map<std::string, Reason> by_text;
  for (const Verdict *v : rejected()) {
    by_text[v->text].text = v->text;
    by_text[v->text].kernels.push_back(v->kernel);
  }
  std::vector<Reason> all;
  for (auto &entry : by_text) all.push_back(std::move(entry.second));
  std::stable_sort(all.begin(), all.end(),
                   [](const Reason &a, const Reason &b) { return a.kernels.size() > b.kernels.size(); });
  return all;
}

const char *verdict_name(int32_t verdict) {
  static const char *const names[] = {"rejected", "accepted", "chosen"};
  return names[verdict];
}

const char *how_name(int32_t how) {
  static const char *const names[] = {"", "forced", "tuned", "predicted", "cpu-fallback"};
  return names[how];
}

bool has_cuda_kernels() {
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i)
    if ((gpuopt_kernel_get(i)->flags & GPUOPT_KERNEL_HOST) == 0) return true;
  return false;
}

std::string build_note(const gpuopt_device_facts &device, const Verdicts &verdicts) {
  if (!has_cuda_kernels()) return std::string("this build has no CUDA kernels (") + gpuopt_build_info() + ")";
  size_t without_code = 0, others = 0;
  for (const Verdict &v : verdicts.all()) {
    // Another device's kernels need some architecture; these, any code at all.
    const bool no_code = v.reject == GPUOPT_REJECT_ARCH && v.need == 0 && v.have == device.cc;
    (no_code ? without_code : others) += 1;
  }
  if (device.cc == 0 || without_code == 0) return "";
  return "this build has no machine code for sm_" + std::to_string(device.cc) + ": " + std::to_string(without_code) +
         " of " + std::to_string(without_code + others) + " kernels lack it; --any-build looks away from that (" +
         gpuopt_build_info() + ")";
}

}  // namespace gpuopt_cli
