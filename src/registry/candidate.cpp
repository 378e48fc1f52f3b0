#include "candidate.h"

#include <algorithm>
#include <cmath>

#include "error.h"
#include "problem.h"

namespace gpuopt {

bool is_refused(const Rules &rules, const gpuopt_kernel &k, const char *algorithm) {
  if (rules.refused == nullptr) return false;
  return std::any_of(rules.refused->begin(), rules.refused->end(),
                     [&](const Refusal &r) { return r.kernel == &k && r.algorithm == algorithm; });
}

namespace {

// By a glob of the configuration, or by its library; then *reject says which.
bool is_disabled(const Rules &rules, const gpuopt_kernel &k, gpuopt_reject *reject) {
  const char *by_library = nullptr;
  if (is_refused(rules, k, nullptr)) by_library = "its library, which refused this problem";
  bool disabled = by_library != nullptr;
  for (size_t i = 0; i < rules.policy.disabled.size() && !disabled; ++i)
    disabled = glob_match_kernel(rules.policy.disabled[i].c_str(), k);
  if (disabled) *reject = {GPUOPT_REJECT_DISABLED, GPUOPT_OPERAND_NONE, 0, 0, by_library};
  return disabled;
}

double automatic_prediction(const gpuopt_kernel &k, const gpuopt_problem &p) {
  if (k.flags & GPUOPT_KERNEL_TEACHING) return 0;
  if ((k.flags & GPUOPT_KERNEL_NONDETERMINISTIC) && !(p.flags & GPUOPT_ALLOW_NONDETERMINISTIC)) return 0;
  const double us = !k.predict_us ? 0 : is_empty(p) ? 1e-3 : k.predict_us(&p);
  return std::isfinite(us) && us > 0 ? us : 0;
}

inline void judge_needs(const gpuopt_kernel &k, gpuopt_problem &p, const AskedOperands &asked, const Rules &rules,
                        Candidate *c) {
  size_t scratch = 0, zeroed = 0;
  p.kernel = &k;
  if (!check_needs(k, p, asked, &c->reject, &scratch, &zeroed)) return;
  if ((k.flags & GPUOPT_KERNEL_HOST) && !rules.policy.cpu_allowed) {
    c->reject = {GPUOPT_REJECT_FALLBACK_OFF, GPUOPT_OPERAND_NONE, 0, 0, nullptr};
    return;
  }
  c->accepted = true;
  c->predicted_us = automatic_prediction(k, p);
  c->scratch = scratch;
  c->zeroed = zeroed;
}

// Of code that was not compiled for the device itself; apart, as hardly any selection meets such.
__attribute__((noinline)) void judge_code(const gpuopt_kernel &k, gpuopt_problem &p, const AskedOperands &asked,
                                          const Rules &rules, Candidate *c) {
  if (!check_code(k, p, c->arch, &c->reject)) return;
  if (!is_other_generation(c->arch, *p.device)) return judge_needs(k, p, asked, rules, c);
  ProblemForCode seen(p, c->arch);
  judge_needs(k, seen.problem, asked, rules, c);
  if (!c->accepted && c->reject.code == GPUOPT_REJECT_ARCH) c->reject = no_machine_code(*p.device);
}

}  // namespace

void judge(const Registered &entry, gpuopt_problem &p, const AskedOperands &asked, const Rules &rules,
           Candidate *c) try {
  const gpuopt_kernel &k = *entry.kernel;
  c->kernel = &k;
  c->rejected_problem = &p;
  c->arch = rules.code.arch(entry.code);
  if (!rules.all_enabled && is_disabled(rules, k, &c->reject)) return;
  if (c->arch == p.device->cc)
    judge_needs(k, p, asked, rules, c);
  else
    judge_code(k, p, asked, rules, c);
}
GPUOPT_CATCH_ALL { throw_foreign(GPUOPT_INTERNAL, entry.kernel->name); }

std::string why_not(const gpuopt_problem &p, const Policy &policy, const Candidate &c) {
  gpuopt_reject r = c.reject;
  if (r.code == GPUOPT_REJECT_DISABLED && !r.what && *policy.disabled_by) r.what = policy.disabled_by;
  if (r.code == GPUOPT_REJECT_FALLBACK_OFF && *policy.fallback_off_by) r.what = policy.fallback_off_by;
  const gpuopt_problem &asked = *c.rejected_problem;
  std::string text = reject_text(p, asked, r);
  if (!policy.all_needs || c.kernel == nullptr) return text;
  // Of two steps, what was rejected is the one of the problem's op.
  const gpuopt_kernel &k = c.second != nullptr && c.second->op == asked.op ? *c.second : *c.kernel;
  for (const gpuopt_reject &unmet : unmet_needs(k, asked)) {
    const std::string other = reject_text(p, asked, unmet);
    if (text.find(other) == std::string::npos) text += "; " + other;
  }
  return text;
}

std::string name_of(const Candidate &c) {
  std::string name = c.kernel->name;
  if (c.algorithm) name.append("@").append(c.algorithm);
  if (c.second) name.append("+").append(c.second->name);
  return name;
}

Candidate judge_two_step(const Registered &gemm, const Registered &act, TwoStep &steps, const Rules &rules) {
  Candidate first, second;
  judge(gemm, steps.first, AskedOperands(steps.first), rules, &first);
  judge(act, steps.second, AskedOperands(steps.second), rules, &second);
  Candidate c = first.accepted ? second : first;
  c.kernel = gemm.kernel;
  c.second = act.kernel;
  c.arch = first.arch;
  c.second_arch = second.arch;
  c.accepted = first.accepted && second.accepted;
  if (!c.accepted) return c;
  // Each step's workspace fits; the larger scratch and the larger zeroed part may be of different steps.
  const size_t scratch = steps.intermediate_bytes + std::max(first.scratch, second.scratch),
               zeroed = std::max(first.zeroed, second.zeroed), bytes = workspace_bytes(scratch, zeroed),
               limit = steps.intermediate_bytes + steps.first.workspace_limit;
  c.accepted = bytes <= limit;
  c.reject = {c.accepted ? GPUOPT_REJECT_NONE : GPUOPT_REJECT_WORKSPACE, GPUOPT_OPERAND_NONE,
              static_cast<int64_t>(limit), static_cast<int64_t>(bytes), nullptr};
  c.scratch = c.zeroed = 0;
  if (!c.accepted) return c;
  c.scratch = scratch;
  c.zeroed = zeroed;
  c.predicted_us = first.predicted_us > 0 && second.predicted_us > 0 ? first.predicted_us + second.predicted_us : 0;
  return c;
}

Candidate judge_named(const gpuopt_kernel &kernel, const gpuopt_kernel *second, gpuopt_problem &p, TwoStep *steps,
                      const Rules &rules, const Snapshot &kernels) {
  Candidate c;
  if (second && steps) return judge_two_step(entry_of(kernels, kernel), entry_of(kernels, *second), *steps, rules);
  if (!second) {
    judge(entry_of(kernels, kernel), p, AskedOperands(p), rules, &c);
    return c;
  }
  c.kernel = &kernel;
  c.second = second;
  c.rejected_problem = &p;
  c.reject = {GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_NONE, 0, 0, "the call, which cannot be split in two steps,"};
  return c;
}

Candidate least_predicted(gpuopt_problem &p, TwoStep *steps, const Rules &rules, const Snapshot &kernels) {
  Candidate best, c;
  const AskedOperands asked(p);
  std::vector<const Registered *> refuse_stage;
  const auto keep_better = [&] {
    if (better(c, best.kernel ? &best : nullptr)) best = c;
  };
  for (const Registered &entry : kernels.by_op[p.op]) {
    c.accepted = false;
    judge(entry, p, asked, rules, &c);
    keep_better();
    if (steps && !c.accepted && c.reject.code == GPUOPT_REJECT_STAGE) refuse_stage.push_back(&entry);
  }
  if (refuse_stage.empty()) return best;
  const Candidate act = least_predicted(steps->second, nullptr, rules, kernels);
  for (size_t i = 0; act.kernel && i < refuse_stage.size(); ++i) {
    c = judge_two_step(*refuse_stage[i], entry_of(kernels, *act.kernel), *steps, rules);
    keep_better();
  }
  return best;
}

}  // namespace gpuopt
