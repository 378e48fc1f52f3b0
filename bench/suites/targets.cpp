// The suite: measures every problem that has a target, in the modes its targets ask for, with the contenders they compare
// with. The verdicts come from the rows (targets_judge.cpp), once the record is whole.
#include "targets.h"

#include <algorithm>

#include "../core/error.h"
#include "../core/spin.h"
#include "plans.h"

namespace gpuopt_bench {
namespace {

constexpr double kBudgetMs = 30;

void remember(std::vector<std::string> *names, const std::string &name) {
  if (!name.empty() && std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
}

// What the targets of one problem ask for together.
struct Need {
  std::string problem;
  Cache cache = Cache::cold;
  bool quick = false;
  std::vector<Mode> modes;
  std::vector<std::string> kernels;  // globs, to be forced
  bool empty_kernel = false, one_stage = false;
};

std::vector<Need> needs() {
  std::vector<Need> all;
  for (const Target &t : targets())
    for (const std::string &problem : t.problems) {
      auto need = std::find_if(all.begin(), all.end(),
                               [&](const Need &n) { return n.problem == problem && n.cache == t.cache; });
      if (need == all.end()) {
        need = all.insert(need, Need());
        need->problem = problem;
        need->cache = t.cache;
      }
      need->quick = need->quick || t.quick;
      if (std::find(need->modes.begin(), need->modes.end(), t.mode) == need->modes.end()) need->modes.push_back(t.mode);
      remember(&need->kernels, t.ours);
      if (t.other.rfind("gemm_", 0) == 0) remember(&need->kernels, t.other);
      need->empty_kernel = need->empty_kernel || t.other == kEmptyKernel;
      need->one_stage = need->one_stage || t.other == kOneStage;
    }
  return all;
}

Plan plan_of(const Need &need) {
  const auto [suite, shape] = split_problem(need.problem);
  const std::string rows = "targets_" + suite;
  Plan plan = suite == "reduce_sizes" ? plan_reduce_sizes(rows, shape)
              : need.one_stage        ? plan_fused_act_beside(rows, shape, kOneStage)
                                      : plan_problem(rows, need.problem);
  plan.quick = need.quick;
  plan.names.problem = need.problem;
  plan.names.cache = need.cache;
  plan.names.budget_ms = kBudgetMs;
  return plan;
}

void run_need(Context &context, const Need &need) {
  const Plan plan = plan_of(need);
  if (left_out(context, plan.names, plan.quick)) return;
  Context own = context;
  own.options.kernels.insert(own.options.kernels.end(), need.kernels.begin(), need.kernels.end());
  own.options.all_kernels = context.options.all_kernels || !need.kernels.empty();
  if (context.options.all_kernels && context.options.kernels.empty()) own.options.kernels.clear();
  Case c = plan.names;
  try {
    plan.build(own, &c);
    if (need.empty_kernel)
      c.add(Role::reference, {kEmptyKernel, [](cudaStream_t stream, int) { launch_empty(stream); }, nullptr});
    for (const Mode mode : need.modes) run_mode(own, c, mode);
  } catch (const Refused &refused) {
    report_left_out(c, refused.what());
    for (const Mode mode : need.modes) add_failure(context, c, refused.what(), mode);
  }
}

}  // namespace

void check_targets() {
  for (const Need &need : needs()) {
    const auto [suite, shape] = split_problem(need.problem);
    if (suite == "fused_table")
      read_fused_cells(shape);
    else
      plan_of(need);
  }
}

void run_targets(Context &context) {
  for (const Need &need : needs()) {
    const auto [suite, shape] = split_problem(need.problem);
    if (suite != "fused_table")
      run_need(context, need);
    else if (!context.options.quick || need.quick)
      run_fused_cells(context, "targets_fused_table", need.problem, read_fused_cells(shape));
  }
}

}  // namespace gpuopt_bench
