// How lines are cut into splits, a block each.
#pragma once

#include "reduce/common/lines.h"
#include "reduce/line/split_lines.h"

namespace gpuopt {

struct LinePlan {
  int64_t results, length;  // lines, and the elements of each
  bool by_rows;             // a result has a line a row, each a split of its own
  int64_t splits, range;    // of a line, and the 16-byte vectors of each
};

// Blocks of kMaxLineThreads that share the lines. Two a multiprocessor, which one warp can join at the end; four where
// the reading takes so long that evening out what blocks differ by is worth more. Very short lines: one block.
inline LinePlan plan_lines(const gpuopt_problem &problem) {
  const LineFacts facts = line_facts(problem);
  const int64_t blocks = int64_t{problem.device->sm_count} * (facts.read_bytes < 500e6 ? 2 : 4);
  const int64_t step = int64_t{kMaxLineThreads} * kLineInFlight;
  const int64_t steps = facts.vectors > step ? ceil_div(facts.vectors, step) : 1;
  LinePlan plan = {facts.results, facts.length, facts.rows > 1, facts.rows, steps * step};
  if (plan.by_rows) return plan;
  const bool is_one = facts.results > blocks || facts.vectors <= 2 * step;
  const int64_t most = is_one ? 1 : blocks / (facts.results > 0 ? facts.results : 1);
  plan.range = ceil_div(steps, most) * step;
  plan.splits = facts.vectors > 0 ? ceil_div(facts.vectors, plan.range) : 1;
  return plan;
}

}  // namespace gpuopt
