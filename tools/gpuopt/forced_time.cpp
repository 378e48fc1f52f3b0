#include "forced_time.h"

#include "explain.h"
#include "operand_fill.h"
#include "verdicts.h"

namespace gpuopt_cli {

std::string kernel_for(const gpuopt_call::Call &call, const std::string &forced, const std::string &device,
                       std::string *why) {
  ExplainOptions e;
  e.device = device;
  Explainer explainer(e);
  Verdicts verdicts;
  if (explainer.explain(call, Verdicts::take, &verdicts) != GPUOPT_OK && verdicts.all().empty()) {
    *why = gpuopt_last_error();
    return "";
  }
  verdicts.sort();
  if (forced.empty()) {
    if (const Verdict *chosen = verdicts.chosen()) return chosen->kernel;
    *why = "no kernel can run it here";
    return "";
  }
  const Verdict *const v = verdicts.find(forced);
  if (v && v->verdict != GPUOPT_VERDICT_REJECTED) return forced;
  *why = forced + (v ? ": " + v->text : " is not in this build");
  return "";
}

std::vector<KernelTime> time_kernels(const gpuopt_call::Call &call, const std::vector<std::string> &kernels,
                                     const ShortTimer &how) {
  TimerOptions t;
  t.call = call;
  t.device = how.ordinal;
  t.noise = 0.02;
  t.budget_seconds = how.seconds;
  t.cold = how.cold;
  t.data = parse_data("--data", how.data);
  std::vector<KernelTime> times(kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i) times[i].kernel = kernels[i];
  make_timer(t)->time(&times);
  return times;
}

double us_of(const KernelTime &k) { return k.failure.empty() ? k.best().us : 0; }

}  // namespace gpuopt_cli
