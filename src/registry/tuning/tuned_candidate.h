// Step 4 of docs/dispatch.md: the candidate that a tuned entry names, and what is told of it.
#pragma once
#include <string>
#include <vector>

#include "candidate.h"
#include "tuning/tuning.h"

namespace gpuopt {

// Which entry decides a problem, and why those that would count before it do not.
class TunedNotes {
 public:
  // told: somebody will ask; else nothing is kept.
  explicit TunedNotes(bool told) : told_(told) {}
  void use(const TunedEntry &entry);
  void use_without_algorithm(const TunedEntry &entry);
  void use_measured(std::string why) { used_ = std::move(why); }
  void pass_over(const TunedEntry &entry, const TunedKernels &named, const std::string &why, int32_t reject);
  bool told() const { return told_; }

  // What is to be said of a candidate beside its verdict: "", or a part of a sentence.
  std::string of(const Candidate &c, bool chosen) const;
  void report(Visitor *visit) const;

 private:
  struct Passed {
    TunedKernels named;
    std::string name, text;
    int32_t reject;
  };
  bool told_;
  std::string used_;
  std::vector<Passed> passed_;
};

// The candidate of the first entry for the problem whose kernel is there as it was tuned, can run, and gives the same bits
// each time or need not; without a kernel where there is none. A prediction it needs none.
Candidate tuned_candidate(gpuopt_problem &p, TwoStep *steps, const Rules &rules, const Snapshot &kernels,
                          TunedNotes *notes);

// The candidate that times of like problems speak for, where they expect it to take less time than the least predicted one by
// more than they are apart themselves; without a kernel where they do not. *untuned becomes the least predicted one, if anything
// near was measured (corrected_candidate.cpp has the rule).
Candidate corrected_candidate(gpuopt_problem &p, TwoStep *steps, const Rules &rules, const Snapshot &kernels,
                              Candidate *untuned, TunedNotes *notes);

}  // namespace gpuopt
