// The eight-step call of docs/dispatch.md, steps 3 to 6. Read this file to know why a kernel ran.
//
// Candidates are every kernel of the op, in name order. Each has a verdict: rejected with a reason, or
// accepted with a predicted time. The choice is the forced kernel if there is one; else the kernel of a tuned
// entry that can run; else the accepted candidate with the least finite positive prediction, ties by name. No
// ranks, no registration order. A kernel without a prediction and a teaching kernel are accepted but never
// chosen unless forced or tuned, a nondeterministic kernel in a call that did not allow one unless forced.
#include "select.h"

#include <algorithm>

#include "candidate.h"
#include "error.h"
#include "manifest.h"
#include "problem.h"
#include "text.h"
#include "tuning/tuned_candidate.h"

namespace gpuopt {
namespace {

std::string forced_by(const Policy &policy) {
  return *policy.forced_by ? std::string(" (forced by ") + policy.forced_by + ")" : "";
}

bool has_gpu_kernels(const Snapshot &kernels) {
  return std::any_of(kernels.all.begin(), kernels.all.end(),
                     [](const gpuopt_kernel *k) { return (k->flags & GPUOPT_KERNEL_HOST) == 0; });
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
    std::string parts[2] = {name.substr(0, plus), plus == std::string::npos ? "" : name.substr(plus + 1)};
    const size_t at = parts[0].find('@');
    const std::string algorithm = at == std::string::npos ? "" : parts[0].substr(at + 1);
    parts[0].erase(std::min(at, parts[0].size()));
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
                 (has_gpu_kernels(kernels) ? "" : "; this build has no CUDA kernels") + forced_by(policy);
      return GPUOPT_KERNEL_NOT_FOUND;
    }
    if (first->op != op) continue;
    if (at != std::string::npos && (first->algorithms == nullptr || algorithm.empty())) {
      *message = "forced kernel " + quoted(name) + ": " +
                 (first->algorithms ? "no algorithm is named behind the '@'"
                                    : std::string(first->name) + " offers no algorithms") +
                 forced_by(policy);
      return GPUOPT_KERNEL_REJECTED;
    }
    out->kernel = first;
    out->second = second;
    out->algorithm = algorithm.empty() ? nullptr : intern(algorithm);
  }
  return GPUOPT_OK;
}

class Reporter {
 public:
  Reporter(Visitor *visit, const gpuopt_problem &problem, const Policy &policy, const TunedNotes &tuned)
      : visit_(visit), problem_(problem), policy_(policy), tuned_(tuned) {}
  void operator()(const Candidate &c, int32_t verdict, int32_t how) const {
    if (!visit_) return;
    const std::string name = name_of(c);
    std::string text;
    if (!c.accepted)
      text = why_not(problem_, policy_, c);
    else if (c.predicted_us > 0)
      text = "can run";
    else if (c.kernel->flags & GPUOPT_KERNEL_TEACHING)
      text = "can run; a teaching kernel, only when forced or tuned";
    else if (c.kernel->flags & GPUOPT_KERNEL_NONDETERMINISTIC)
      text = "can run; not deterministic, only when forced or allowed";
    else
      text = "can run; makes no prediction, only when forced or tuned";
    if (c.accepted && c.kernel->data_paths) text += std::string("; ") + c.kernel->data_paths;
    text += tuned_.of(c, verdict == GPUOPT_VERDICT_CHOSEN);
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
  const TunedNotes &tuned_;
};

int32_t how_chosen(const Candidate &c, const Policy &policy, bool named, bool forced) {
  if (named) return forced ? GPUOPT_HOW_FORCED : GPUOPT_HOW_TUNED;
  return (c.kernel->flags & GPUOPT_KERNEL_HOST) && policy.cpu_is_fallback ? GPUOPT_HOW_CPU_FALLBACK
                                                                          : GPUOPT_HOW_PREDICTED;
}

void take(const Candidate &c, int32_t how, Selection *s) {
  s->how = how;
  s->kernel = c.kernel;
  s->second = c.second;
  s->algorithm = c.algorithm;
  s->name = c.second || c.algorithm ? intern(name_of(c)) : c.kernel->name;
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
  if (!text.empty()) return text;
  return std::string("this build has no kernels of ") + gpuopt_op_name(p.op) +
         (*kSelection ? std::string(" (") + kSelection + ")" : "");
}

// Every single kernel, and two steps of each that refuses no more than a stage.
void judge_all(gpuopt_problem &p, TwoStep *steps, const Rules &rules, const Snapshot &kernels,
               std::vector<Candidate> *all) {
  const std::vector<Registered> &entries = kernels.by_op[p.op];
  const AskedOperands asked(p);
  all->reserve(entries.size() + 8);
  for (const Registered &entry : entries) {
    all->emplace_back();
    judge(entry, p, asked, rules, &all->back());
  }
  const gpuopt_kernel *act = steps ? least_predicted(steps->second, nullptr, rules, kernels).kernel : nullptr;
  for (size_t i = 0; act && i < entries.size(); ++i)
    if (!(*all)[i].accepted && (*all)[i].reject.code == GPUOPT_REJECT_STAGE)
      all->push_back(judge_two_step(entries[i], entry_of(kernels, *act), *steps, rules));
}

}  // namespace

Selection select(gpuopt_problem &p, const Policy &policy, const Snapshot &kernels, Visitor *visit,
                 const Refusals *refused) {
  Selection s;
  Candidate named;  // by the configuration
  s.status = find_forced(policy, p.op, kernels, &named, &s.message);
  if (s.status != GPUOPT_OK) return s;
  const bool forced = named.kernel != nullptr;

  TwoStep two;
  TwoStep *const steps = split_gemm(p, &two) ? &two : nullptr;
  const Rules rules = {policy, refused, CodeOnDevice(kernels.code, *p.device, policy.any_build),
                       policy.disabled.empty() && (!refused || refused->empty())};
  TunedNotes notes(visit != nullptr);
  Candidate untuned;
  if (const char *const algorithm = named.algorithm; forced) {
    named = judge_named(*named.kernel, named.second, p, steps, rules, kernels);
    named.algorithm = algorithm;
  } else if (policy.tuning) {
    named = tuned_candidate(p, steps, rules, kernels, &notes);
    if (!named.kernel) named = corrected_candidate(p, steps, rules, kernels, &untuned, &notes);
  }
  if (!visit) {  // nobody asks about the others
    const Candidate best = named.kernel ? named : untuned.kernel ? untuned : least_predicted(p, steps, rules, kernels);
    if (best.accepted) {
      take(best, how_chosen(best, policy, named.kernel != nullptr, forced), &s);
      return s;
    }
  }

  // Somebody asks about every one, or nobody can run it and the message says why.
  std::vector<Candidate> all;
  if (!forced || visit) judge_all(p, steps, rules, kernels, &all);
  size_t chosen = SIZE_MAX;
  if (named.kernel) {
    for (chosen = 0; chosen < all.size(); ++chosen)
      if (all[chosen].kernel == named.kernel && all[chosen].second == named.second) break;
    if (chosen == all.size()) all.push_back(named);
    all[chosen].algorithm = named.algorithm;
  } else {
    for (size_t i = 0; i < all.size(); ++i)
      if (better(all[i], chosen == SIZE_MAX ? nullptr : &all[chosen])) chosen = i;
  }

  const bool ok = chosen != SIZE_MAX && all[chosen].accepted;
  const int32_t how =
      chosen != SIZE_MAX ? how_chosen(all[chosen], policy, named.kernel != nullptr, forced) : GPUOPT_HOW_NONE;
  notes.report(visit);
  const Reporter report(visit, p, policy, notes);
  if (ok) report(all[chosen], GPUOPT_VERDICT_CHOSEN, how);
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
    s.how = how;
  } else {
    take(all[chosen], how, &s);
  }
  return s;
}

}  // namespace gpuopt
