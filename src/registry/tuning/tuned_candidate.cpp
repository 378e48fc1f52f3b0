#include "tuning/tuned_candidate.h"

namespace gpuopt {

void TunedNotes::use(const TunedEntry &entry) {
  if (told_) used_ = std::string("by ") + (entry.is_class() ? "class" : "exact") + " entry " + entry.where();
}

void TunedNotes::use_without_algorithm(const TunedEntry &entry) {
  use(entry);
  if (told_) used_ += ", without its algorithm " + entry.target->algorithm + ", which this problem does not have here";
}

void TunedNotes::pass_over(const TunedEntry &entry, const TunedKernels &named, const std::string &why, int32_t reject) {
  passed_.push_back({named, entry.target->name(),
                     std::string("its tuned ") + (entry.is_class() ? "class" : "exact") + " entry " + entry.where() +
                         " is passed over: " + why,
                     reject});
}

std::string TunedNotes::of(const Candidate &c, bool chosen) const {
  std::string text = chosen && !used_.empty() ? "; " + used_ : "";
  for (const Passed &passed : passed_)
    if (passed.named.kernel == c.kernel && passed.named.second == c.second) text += "; " + passed.text;
  return text;
}

void TunedNotes::report(Visitor *visit) const {
  if (!visit) return;
  for (const Passed &passed : passed_) visit->passed_over(passed.name.c_str(), passed.reject, passed.text);
}

Candidate tuned_candidate(gpuopt_problem &p, TwoStep *steps, const Rules &rules, const Snapshot &kernels,
                          TunedNotes *notes) {
  TunedEntry entries[Tuning::kMostEntries];
  const int count = rules.policy.tuning->find(p, entries);
  for (int i = 0; i < count; ++i) {
    const TuneTarget &target = *entries[i].target;
    const TunedKernels named = resolve(target, kernels);
    Candidate c;
    if (named.fault == TargetFault::none) {
      c = judge_named(*named.kernel, named.second, p, steps, rules, kernels);
      const uint32_t flags = c.kernel->flags | (c.second ? c.second->flags : 0);
      if (c.accepted && (flags & GPUOPT_KERNEL_NONDETERMINISTIC) && !(p.flags & GPUOPT_ALLOW_NONDETERMINISTIC)) {
        c.accepted = false;
        c.rejected_problem = &p;
        c.reject = {GPUOPT_REJECT_NOT_DETERMINISTIC, GPUOPT_OPERAND_NONE, 0, 0, nullptr};
      }
      if (c.accepted) {
        if (!target.algorithm.empty()) c.algorithm = intern(target.algorithm);
        // Its own choice is the next best: the kernel was the best with another one - of this machine's library.
        const bool stale = c.algorithm && is_refused(rules, *c.kernel, c.algorithm);
        if (stale && entries[i].shipped) {
          if (notes->told())
            notes->pass_over(entries[i], named, "its algorithm " + target.algorithm + " is not there for this problem",
                             GPUOPT_REJECT_NONE);
          continue;
        }
        if (stale) c.algorithm = nullptr;
        stale ? notes->use_without_algorithm(entries[i]) : notes->use(entries[i]);
        return c;
      }
    }
    if (!notes->told()) continue;
    const bool judged = named.fault == TargetFault::none;
    notes->pass_over(entries[i], named, judged ? why_not(p, rules.policy, c) : fault_text(target, named.fault, kernels),
                     judged ? c.reject.code : static_cast<int32_t>(GPUOPT_REJECT_NONE));
  }
  return Candidate();
}

}  // namespace gpuopt
