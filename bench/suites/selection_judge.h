// What a measured selection amounts to, from the rows of a record: how near the chosen kernel comes to the best candidate,
// and how near the predictions come to the times.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "../core/record.h"

namespace gpuopt_bench {

// One candidate of one problem, measured: of short calls in both modes (core/compared.h).
struct Candidate {
  std::string kernel;
  double measured_us = 0, predicted_us = 0;
  bool chosen = false;
};
struct MeasuredProblem {
  std::string op, call, where;  // where: shape, type and number of the problem, for reports
  std::vector<Candidate> candidates;
};
// Rows of the suites selection_<op>, by problem; those without a measured choice are left out.
std::vector<MeasuredProblem> measured_problems(const std::vector<Row> &rows);

// The chosen candidate; the fastest.
const Candidate &chosen_of(const MeasuredProblem &problem);
const Candidate &best_of(const MeasuredProblem &problem);
double share_of_best(const MeasuredProblem &problem);  // best / chosen, at most 1

struct KernelError {
  int rows = 0, chosen = 0, best = 0;
  double error = 0;  // mean |predicted / measured - 1|
};
struct SelectionSummary {
  std::string op;  // "all" for all together
  int problems = 0, rows = 0;
  double mean = 0, p5 = 0, worst = 0;  // geometric mean, 5th percentile, least of those above 5 us: of best / chosen
  std::string worst_where;
  double error = 0, chosen_error = 0;  // mean |predicted / measured - 1|, of all candidates and of the chosen ones
};
// Of each op, then of all.
std::vector<SelectionSummary> summarise(const std::vector<MeasuredProblem> &problems);
std::map<std::string, KernelError> kernel_errors(const std::vector<MeasuredProblem> &problems);
std::string selection_table(const std::vector<MeasuredProblem> &problems);  // text, for a terminal

// Puts the summary among the record's checks, as numbers that are met or short.
void judge_selection(Record *record);

}  // namespace gpuopt_bench
