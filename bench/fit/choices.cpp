#include "choices.h"

#include <cmath>
#include <cstdio>

#include "../core/explain_on.h"
#include "../suites/model_gemms.h"
#include "gpuopt_call/text.h"

namespace gpuopt_bench {
namespace {

void take(void *user, const gpuopt_candidate *c) {
  auto *const choice = static_cast<ModelChoice *>(user);
  if (c->verdict == GPUOPT_VERDICT_REJECTED) return;
  if (c->verdict == GPUOPT_VERDICT_CHOSEN) choice->kernel = c->kernel;
  choice->predicted_us[c->kernel] = c->predicted_us;
}

std::string ratio(double over, double under) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", over / under);
  return over > 0 && under > 0 ? text : "-";
}

double of(const std::map<std::string, double> &times, const std::string &key) {
  const auto found = times.find(key);
  return found == times.end() ? 0 : found->second;
}

}  // namespace

std::vector<ModelChoice> model_choices(gpuopt_handle *handle, const gpuopt_device_facts &device) {
  const gpuopt_explain_options o = explain_on(device);
  std::vector<ModelChoice> all;
  for (ModelGemm &gemm : usual_model_gemms()) {
    ModelChoice choice;
    choice.name = gemm.name;
    choice.call = gpuopt_call::text_of(gemm.call);
    if (gpuopt_explain(handle, gemm.call.args(), &o, take, &choice) == GPUOPT_OK) all.push_back(std::move(choice));
  }
  return all;
}

std::string changed_choices(const std::vector<ModelChoice> &before, const std::vector<ModelChoice> &after,
                            const FitSamples &samples) {
  std::map<std::string, double> measured;
  for (const FitSample &s : samples.all) measured.emplace(s.kernel + " " + s.call, s.measured_us);
  int changed = 0, known = 0;
  double logs = 0;
  std::string lines;
  for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
    const ModelChoice &was = before[i], &is = after[i];
    if (was.kernel == is.kernel) continue;
    ++changed;
    const double was_us = of(measured, was.kernel + " " + was.call), is_us = of(measured, is.kernel + " " + is.call);
    if (was_us > 0 && is_us > 0) ++known, logs += std::log(was_us / is_us);
    lines += "  " + is.name + ": " + was.kernel + " -> " + is.kernel + ", predicted " +
             ratio(of(was.predicted_us, was.kernel), of(was.predicted_us, is.kernel)) + " -> " +
             ratio(of(is.predicted_us, was.kernel), of(is.predicted_us, is.kernel)) + ", measured " +
             ratio(was_us, is_us) + ": " + is.call + "\n";
  }
  char head[256];
  std::snprintf(
      head, sizeof head,
      "\nsquares and layers of models: %d of %zu choices change; of %d both times are known, and the former over the "
      "new one is %.3f in the mean\n",
      changed, after.size(), known, known > 0 ? std::exp(logs / known) : 1.0);
  return head + lines;
}

}  // namespace gpuopt_bench
