// The eight-step call of docs/dispatch.md, steps 3 to 6. Read this file to know why a kernel ran.
//
// Candidates are every kernel of the op, in name order. Each has a verdict: rejected with a reason, or
// accepted with a predicted time. The choice is the forced kernel if there is one; else the accepted
// candidate with the least finite positive prediction, ties by name. No ranks, no registration order. A
// kernel without a prediction, a teaching kernel, and a nondeterministic kernel in a call that did not allow
// one, are accepted but never chosen unless forced.
#include "select.h"

#include <algorithm>
#include <cmath>

#include "error.h"
#include "needs.h"
#include "problem.h"
#include "text.h"
#include "two_step.h"

namespace gpuopt {
namespace {

struct Candidate {
  const gpuopt_kernel *kernel = nullptr, *second = nullptr;
  gpuopt_reject reject = {};
  const gpuopt_problem *rejected_problem = nullptr;  // whose operands the reject speaks of
  bool accepted = false;
  int32_t arch = 0, second_arch = 0;
  double predicted_us = 0;  // 0: never automatic
  size_t scratch = 0, zeroed = 0;

  Candidate() {}  // not "= default", for which emplace_back would clear all bytes first
};

// By what one selection judges its candidates.
struct Rules {
  const Policy &policy;
  const std::vector<const gpuopt_kernel *> *refused;  // or nullptr
  CodeOnDevice code;
  bool all_enabled;
};

// By a glob of the configuration, or by its library; then *reject says which.
bool is_disabled(const Rules &rules, const gpuopt_kernel &k, gpuopt_reject *reject) {
  const char *by_library = nullptr;
  if (rules.refused && std::find(rules.refused->begin(), rules.refused->end(), &k) != rules.refused->end())
    by_library = "its library, which refused this problem";
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

// Writes the verdict where it stays: a selection judges hundreds, and copying each costs more than judging it.
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

bool better(const Candidate &c, const Candidate *best) {
  return c.accepted && c.predicted_us > 0 && (best == nullptr || c.predicted_us < best->predicted_us);
}

std::string name_of(const Candidate &c) {
  return c.second ? std::string(c.kernel->name) + "+" + c.second->name : c.kernel->name;
}

// The two-step candidate of one gemm kernel and one fused_act kernel. The reject, if any, is the first
// step's.
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

// The accepted candidate with the least prediction, ties by name, of single kernels and, if the call splits in two steps, of
// those that refuse no more than a stage. No kernel: none was accepted. Keeps one candidate at a time, as most selections need.
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

// In the words of the call, and of whoever disabled the kernel.
std::string why_not(const gpuopt_problem &p, const Policy &policy, const Candidate &c) {
  gpuopt_reject r = c.reject;
  if (r.code == GPUOPT_REJECT_DISABLED && !r.what && *policy.disabled_by) r.what = policy.disabled_by;
  if (r.code == GPUOPT_REJECT_FALLBACK_OFF && *policy.fallback_off_by) r.what = policy.fallback_off_by;
  return reject_text(p, *c.rejected_problem, r);
}

std::string forced_by(const Policy &policy) {
  return *policy.forced_by ? std::string(" (forced by ") + policy.forced_by + ")" : "";
}

// The kernels forced for this op, or what is wrong with the name. A bare name concerns the op of the kernel
// that it names; a name that nothing is registered under concerns every op, so that a typing error is never
// silent.
gpuopt_status find_forced(const Policy &policy, int32_t op, const Snapshot &kernels, Candidate *out,
                          std::string *message) {
  std::vector<std::string> names = policy.forced.bare;
  const bool own = !policy.forced.by_op[op].empty();
  if (own) names.push_back(policy.forced.by_op[op]);
  for (const std::string &name : names) {
    const bool for_this_op = own && &name == &names.back();
    const size_t plus = name.find('+');
    const std::string parts[2] = {name.substr(0, plus), plus == std::string::npos ? "" : name.substr(plus + 1)};
    const gpuopt_kernel *first = find_kernel(kernels, parts[0]);
    const gpuopt_kernel *second = parts[1].empty() ? nullptr : find_kernel(kernels, parts[1]);
    const bool second_ok = plus == std::string::npos ||
                           (second && second->op == GPUOPT_OP_FUSED_ACT && first && first->op == GPUOPT_OP_GEMM);
    const bool op_ok = first && (!for_this_op || first->op == op);
    if (!op_ok || !second_ok) {
      const bool first_bad = !op_ok;
      *message = "no " + std::string(for_this_op ? gpuopt_op_name(op) : "") + (for_this_op ? " " : "") +
                 "kernel is named " + quoted(first_bad ? parts[0] : parts[1]) + "; nearest: " +
                 nearest_names(kernels, first_bad ? parts[0] : parts[1],
                               first_bad ? (for_this_op ? op : 0) : GPUOPT_OP_FUSED_ACT) +
                 forced_by(policy);
      return GPUOPT_KERNEL_NOT_FOUND;
    }
    if (first->op == op) out->kernel = first, out->second = second;
  }
  return GPUOPT_OK;
}

class Reporter {
 public:
  Reporter(Visitor *visit, const gpuopt_problem &problem, const Policy &policy)
      : visit_(visit), problem_(problem), policy_(policy) {}
  void operator()(const Candidate &c, int32_t verdict, int32_t how) const {
    if (!visit_) return;
    const std::string name = name_of(c);
    std::string text;
    if (!c.accepted)
      text = why_not(problem_, policy_, c);
    else if (c.predicted_us > 0)
      text = "can run";
    else if (c.kernel->flags & GPUOPT_KERNEL_TEACHING)
      text = "can run; a teaching kernel, only when forced";
    else if (c.kernel->flags & GPUOPT_KERNEL_NONDETERMINISTIC)
      text = "can run; not deterministic, only when forced or allowed";
    else
      text = "can run; makes no prediction, only when forced";
    gpuopt_candidate out = {};
    out.struct_size = sizeof out;
    out.kernel = name.c_str();
    out.verdict = verdict;
    out.how = how;
    out.reject = c.accepted ? GPUOPT_REJECT_NONE : c.reject.code;
    out.operand = c.accepted ? GPUOPT_OPERAND_NONE : user_operand(*c.rejected_problem, c.reject);
    out.have = c.reject.have;
    out.need = c.reject.need;
    out.predicted_us = c.predicted_us;
    out.workspace_bytes = workspace_bytes(c.scratch, c.zeroed);
    out.text = text.c_str();
    visit_->candidate(out);
  }

 private:
  Visitor *visit_;
  const gpuopt_problem &problem_;
  const Policy &policy_;
};

int32_t how_chosen(const Candidate &c, const Policy &policy) {
  return (c.kernel->flags & GPUOPT_KERNEL_HOST) && policy.cpu_is_fallback ? GPUOPT_HOW_CPU_FALLBACK
                                                                          : GPUOPT_HOW_PREDICTED;
}

void take(const Candidate &c, int32_t how, Selection *s) {
  s->how = how;
  s->kernel = c.kernel;
  s->second = c.second;
  s->name = c.second ? intern(name_of(c)) : c.kernel->name;
  s->arch = c.arch;
  s->second_arch = c.second_arch;
  s->predicted_us = c.predicted_us;
  s->scratch = c.scratch;
  s->zeroed = c.zeroed;
}

// The two best reasons: of candidates that came furthest, DTYPE and device rejects being the least telling.
std::string best_reasons(const gpuopt_problem &p, const Policy &policy, const std::vector<Candidate> &all) {
  std::string text;
  int given = 0;
  for (int pass = 0; pass < 2 && given < 2; ++pass)
    for (const Candidate &c : all) {
      const int32_t code = c.reject.code;
      const bool telling = code != GPUOPT_REJECT_DTYPE && code != GPUOPT_REJECT_NO_DEVICE &&
                           code != GPUOPT_REJECT_DEVICE_DATA && code != GPUOPT_REJECT_VARIANT;
      if (c.accepted || telling != (pass == 0) || given == 2) continue;
      text += (given++ ? "; " : "") + name_of(c) + ": " + why_not(p, policy, c);
    }
  return text.empty() ? "no kernel of this operation is registered" : text;
}

}  // namespace

Selection select(gpuopt_problem &p, const Policy &policy, const Snapshot &kernels, Visitor *visit,
                 const std::vector<const gpuopt_kernel *> *refused) {
  Selection s;
  Candidate forced;
  s.status = find_forced(policy, p.op, kernels, &forced, &s.message);
  if (s.status != GPUOPT_OK) return s;

  TwoStep steps;
  const bool splits = split_gemm(p, &steps);
  const Rules rules = {policy, refused, CodeOnDevice(kernels.code, *p.device, policy.any_build),
                       policy.disabled.empty() && (!refused || refused->empty())};
  if (!forced.kernel && !visit) {
    const Candidate best = least_predicted(p, splits ? &steps : nullptr, rules, kernels);
    if (best.kernel) {
      take(best, how_chosen(best, policy), &s);
      return s;
    }
  }
  const AskedOperands asked(p);
  std::vector<Candidate> all;  // somebody asks about every one, or nobody can run it and the message says why
  size_t chosen = SIZE_MAX;
  if (forced.kernel && !visit) {  // nothing else needs judging
    if (!forced.second) {
      all.emplace_back();
      judge(entry_of(kernels, *forced.kernel), p, asked, rules, &all.back());
      chosen = 0;
    }
  } else {
    all.reserve(kernels.by_op[p.op].size() + 8);
    for (const Registered &entry : kernels.by_op[p.op]) {
      all.emplace_back();
      judge(entry, p, asked, rules, &all.back());
      if (forced.kernel == entry.kernel && !forced.second) chosen = all.size() - 1;
    }
    if (splits) {
      // The second step's kernel unless one is forced.
      const gpuopt_kernel *act = least_predicted(steps.second, nullptr, rules, kernels).kernel;
      const size_t singles = all.size();
      for (size_t i = 0; act && i < singles; ++i)
        if (!all[i].accepted && all[i].reject.code == GPUOPT_REJECT_STAGE) {
          all.push_back(judge_two_step(kernels.by_op[p.op][i], entry_of(kernels, *act), steps, rules));
          if (forced.kernel == all.back().kernel && forced.second == act) chosen = all.size() - 1;
        }
    }
  }
  if (forced.second && chosen == SIZE_MAX) {
    Candidate c;
    if (splits) {
      c = judge_two_step(entry_of(kernels, *forced.kernel), entry_of(kernels, *forced.second), steps, rules);
    } else {
      c = forced;
      c.rejected_problem = &p;
      c.reject = {GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_NONE, 0, 0, "the call, which cannot be split in two steps,"};
    }
    all.push_back(c);
    chosen = all.size() - 1;
  }
  if (forced.kernel) {
    s.how = GPUOPT_HOW_FORCED;
  } else {
    for (size_t i = 0; i < all.size(); ++i)
      if (better(all[i], chosen == SIZE_MAX ? nullptr : &all[chosen])) chosen = i;
    if (chosen != SIZE_MAX) s.how = how_chosen(all[chosen], policy);
  }

  const bool ok = chosen != SIZE_MAX && all[chosen].accepted;
  const Reporter report(visit, p, policy);
  if (ok) report(all[chosen], GPUOPT_VERDICT_CHOSEN, s.how);
  for (size_t i = 0; i < all.size(); ++i)
    if (!ok || i != chosen)
      report(all[i], all[i].accepted ? GPUOPT_VERDICT_ACCEPTED : GPUOPT_VERDICT_REJECTED, GPUOPT_HOW_NONE);

  if (chosen == SIZE_MAX) {
    s.status = GPUOPT_NOT_SUPPORTED;
    s.message = "no kernel can run this call here: " + best_reasons(p, policy, all);
  } else if (!ok) {
    s.status = GPUOPT_KERNEL_REJECTED;
    s.message = "forced kernel " + name_of(all[chosen]) + " cannot run this call: " + why_not(p, policy, all[chosen]) +
                forced_by(policy);
  } else {
    take(all[chosen], s.how, &s);
  }
  return s;
}

}  // namespace gpuopt
