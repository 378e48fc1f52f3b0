// The eight-step call of docs/dispatch.md, steps 3 to 6. Read this file to know why a kernel ran.
//
// Candidates are every kernel of the op, in name order. Each has a verdict: rejected with a reason, or
// accepted with a predicted time. The choice is the forced kernel if there is one; else the accepted
// candidate with the least finite positive prediction, ties by name. No ranks, no registration order. A
// kernel without a prediction, a teaching kernel, and a nondeterministic kernel in a call that did not allow
// one, are accepted but never chosen unless forced.
#include "select.h"

#include <cmath>

#include "needs.h"
#include "problem.h"
#include "two_step.h"

namespace gpuopt {
namespace {

struct candidate {
  const gpuopt_kernel *kernel = nullptr, *second = nullptr;
  gpuopt_reject reject = {};
  const gpuopt_problem *rejected_problem = nullptr;  // whose operands the reject speaks of
  bool accepted = false;
  double predicted_us = 0;  // 0: never automatic
  size_t scratch = 0, zeroed = 0;

  candidate() {}  // not "= default", for which emplace_back would clear all bytes first
};

bool is_disabled(const policy &policy, const char *name) {
  for (const std::string &glob : policy.disabled)
    if (glob_match(glob.c_str(), name)) return true;
  return false;
}

double automatic_prediction(const gpuopt_kernel &k, const gpuopt_problem &p) {
  if (k.flags & GPUOPT_KERNEL_TEACHING) return 0;
  if ((k.flags & GPUOPT_KERNEL_NONDETERMINISTIC) && !(p.flags & GPUOPT_ALLOW_NONDETERMINISTIC)) return 0;
  const double us = !k.predict_us ? 0 : is_empty(p) ? 1e-3 : k.predict_us(&p);
  return std::isfinite(us) && us > 0 ? us : 0;
}

// Writes the verdict where it stays: a selection judges hundreds, and copying each costs more than judging it.
void judge(const gpuopt_kernel &k, const gpuopt_problem &p, const policy &policy, candidate *c) {
  c->kernel = &k;
  c->rejected_problem = &p;
  if (is_disabled(policy, k.name)) {
    c->reject = {GPUOPT_REJECT_DISABLED, GPUOPT_OPERAND_NONE, 0, 0, nullptr};
    return;
  }
  size_t scratch = 0, zeroed = 0;
  if (!check_needs(k, p, &c->reject, &scratch, &zeroed)) return;
  if ((k.flags & GPUOPT_KERNEL_HOST) && !policy.cpu_allowed) {
    c->reject = {GPUOPT_REJECT_FALLBACK_OFF, GPUOPT_OPERAND_NONE, 0, 0, nullptr};
    return;
  }
  c->accepted = true;
  c->predicted_us = automatic_prediction(k, p);
  c->scratch = scratch;
  c->zeroed = zeroed;
}

bool better(const candidate &c, const candidate *best) {
  return c.accepted && c.predicted_us > 0 && (best == nullptr || c.predicted_us < best->predicted_us);
}

std::string name_of(const candidate &c) {
  return c.second ? std::string(c.kernel->name) + "+" + c.second->name : c.kernel->name;
}

// The two-step candidate of one gemm kernel and one fused_act kernel. The reject, if any, is the first
// step's.
candidate judge_two_step(const gpuopt_kernel &gemm, const gpuopt_kernel &act, const two_step &steps,
                         const policy &policy) {
  candidate first, second;
  judge(gemm, steps.first, policy, &first);
  judge(act, steps.second, policy, &second);
  candidate c = first.accepted ? second : first;
  c.kernel = &gemm;
  c.second = &act;
  c.accepted = first.accepted && second.accepted;
  if (!c.accepted) return c;
  c.scratch = steps.intermediate_bytes + std::max(first.scratch, second.scratch);
  c.zeroed = std::max(first.zeroed, second.zeroed);
  c.predicted_us = first.predicted_us > 0 && second.predicted_us > 0 ? first.predicted_us + second.predicted_us : 0;
  return c;
}

// The fused_act kernel that second steps use unless one is forced: the least prediction, ties by name.
const gpuopt_kernel *best_second(const two_step &steps, const policy &policy, const snapshot &kernels) {
  candidate best;
  for (const gpuopt_kernel *k : kernels.by_op[GPUOPT_OP_FUSED_ACT]) {
    candidate c;
    judge(*k, steps.second, policy, &c);
    if (better(c, best.kernel ? &best : nullptr)) best = c;
  }
  return best.kernel;
}

// The kernels forced for this op, or what is wrong with the name. A bare name concerns the op of the kernel
// that it names; a name that nothing is registered under concerns every op, so that a typing error is never
// silent.
gpuopt_status find_forced(const policy &policy, int32_t op, const snapshot &kernels, candidate *out,
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
                 "kernel is named '" + (first_bad ? parts[0] : parts[1]) + "'; nearest: " +
                 nearest_names(kernels, first_bad ? parts[0] : parts[1],
                               first_bad ? (for_this_op ? op : 0) : GPUOPT_OP_FUSED_ACT);
      return GPUOPT_KERNEL_NOT_FOUND;
    }
    if (first->op == op) out->kernel = first, out->second = second;
  }
  return GPUOPT_OK;
}

class reporter {
 public:
  reporter(visitor *visit, const gpuopt_problem &problem) : visit_(visit), problem_(problem) {}
  void operator()(const candidate &c, int32_t verdict, int32_t how) const {
    if (!visit_) return;
    const std::string name = name_of(c);
    std::string text;
    if (!c.accepted)
      text = reject_text(*c.rejected_problem, c.reject);
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
    out.workspace_bytes = c.scratch + c.zeroed;
    out.text = text.c_str();
    visit_->candidate(out);
  }
  const gpuopt_problem &problem() const { return problem_; }

 private:
  visitor *visit_;
  const gpuopt_problem &problem_;
};

// The two best reasons: of candidates that came furthest, DTYPE and device rejects being the least telling.
std::string best_reasons(const std::vector<candidate> &all) {
  std::string text;
  int given = 0;
  for (int pass = 0; pass < 2 && given < 2; ++pass)
    for (const candidate &c : all) {
      const int32_t code = c.reject.code;
      const bool telling = code != GPUOPT_REJECT_DTYPE && code != GPUOPT_REJECT_NO_DEVICE &&
                           code != GPUOPT_REJECT_DEVICE_DATA && code != GPUOPT_REJECT_VARIANT;
      if (c.accepted || telling != (pass == 0) || given == 2) continue;
      text += (given++ ? "; " : "") + name_of(c) + ": " + reject_text(*c.rejected_problem, c.reject);
    }
  return text.empty() ? "no kernel of this operation is registered" : text;
}

}  // namespace

selection select(const gpuopt_problem &p, const policy &policy, const snapshot &kernels, visitor *visit) {
  selection s;
  candidate forced;
  s.status = find_forced(policy, p.op, kernels, &forced, &s.message);
  if (s.status != GPUOPT_OK) return s;

  two_step steps;
  const bool splits = split_gemm(p, &steps);
  std::vector<candidate> all;
  size_t chosen = SIZE_MAX;
  if (forced.kernel && !visit) {  // nothing else needs judging
    if (!forced.second) {
      all.emplace_back();
      judge(*forced.kernel, p, policy, &all.back());
      chosen = 0;
    }
  } else {
    all.reserve(kernels.by_op[p.op].size() + 8);
    for (const gpuopt_kernel *k : kernels.by_op[p.op]) {
      all.emplace_back();
      judge(*k, p, policy, &all.back());
      if (forced.kernel == k && !forced.second) chosen = all.size() - 1;
    }
    if (splits && !(forced.kernel && !forced.second && !visit)) {
      const gpuopt_kernel *act = best_second(steps, policy, kernels);
      const size_t singles = all.size();
      for (size_t i = 0; act && i < singles; ++i)
        if (!all[i].accepted && all[i].reject.code == GPUOPT_REJECT_STAGE) {
          all.push_back(judge_two_step(*all[i].kernel, *act, steps, policy));
          if (forced.kernel == all.back().kernel && forced.second == act) chosen = all.size() - 1;
        }
    }
  }
  if (forced.second && chosen == SIZE_MAX) {
    candidate c;
    if (splits) {
      c = judge_two_step(*forced.kernel, *forced.second, steps, policy);
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
    if (chosen != SIZE_MAX)
      s.how = (all[chosen].kernel->flags & GPUOPT_KERNEL_HOST) && policy.cpu_is_fallback ? GPUOPT_HOW_CPU_FALLBACK
                                                                                         : GPUOPT_HOW_PREDICTED;
  }

  const bool ok = chosen != SIZE_MAX && all[chosen].accepted;
  const reporter report(visit, p);
  if (ok) report(all[chosen], GPUOPT_VERDICT_CHOSEN, s.how);
  for (size_t i = 0; i < all.size(); ++i)
    if (!ok || i != chosen)
      report(all[i], all[i].accepted ? GPUOPT_VERDICT_ACCEPTED : GPUOPT_VERDICT_REJECTED, GPUOPT_HOW_NONE);

  if (chosen == SIZE_MAX) {
    s.status = GPUOPT_NOT_SUPPORTED;
    s.message = "no kernel can run this call here: " + best_reasons(all);
  } else if (!ok) {
    s.status = GPUOPT_KERNEL_REJECTED;
    s.message = "forced kernel " + name_of(all[chosen]) +
                " cannot run this call: " + reject_text(*all[chosen].rejected_problem, all[chosen].reject);
  } else {
    const candidate &c = all[chosen];
    s.kernel = c.kernel;
    s.second = c.second;
    s.name = c.second ? intern(name_of(c)) : c.kernel->name;
    s.predicted_us = c.predicted_us;
    s.scratch = c.scratch;
    s.zeroed = c.zeroed;
  }
  return s;
}

}  // namespace gpuopt
