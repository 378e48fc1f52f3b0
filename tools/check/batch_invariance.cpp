#include "batch_invariance.h"

#include <algorithm>

#include "spec.h"
#include "values.h"

namespace gpuopt_check {
namespace {

// The reduction of rows (or columns) first to last alone: a view of the same image.
Problem part_of(const Problem &whole, int64_t first, int64_t count) {
  Problem part = whole;
  for (Tensor &t : part.t) {
    if (!t.present()) continue;
    const bool by_row = part.axis == GPUOPT_EACH_ROW;
    t.pos = by_row ? t.at(0, first, 0) : t.at(0, 0, first);
    (by_row ? t.rows : t.cols) = count;
  }
  return part;
}

bool same_results(const Problem &part, const std::vector<uint8_t> &a, const std::vector<uint8_t> &b) {
  for (const Tensor &t : part.t)
    for (int64_t i = 0; t.output && i < t.rows; ++i)
      for (int64_t j = 0; j < t.cols; ++j)
        if (!std::equal(a.begin() + t.at(0, i, j), a.begin() + t.at(0, i, j) + t.size(), b.begin() + t.at(0, i, j)))
          return false;
  return true;
}

void check_problem(Session &session, const gpuopt_kernel &kernel, const Problem &whole,
                   std::vector<std::string> *failures) {
  const auto accepted = [&](const Problem &p) {
    const Candidate *c = nullptr;
    const Explanation e = session.explain(p);
    return (c = e.find(kernel.name)) != nullptr && c->verdict != GPUOPT_VERDICT_REJECTED;
  };
  if (!accepted(whole)) return;
  const Outcome all = session.run(whole, kernel.name);
  const int64_t lines = whole.axis == GPUOPT_EACH_ROW ? whole.t[0].rows : whole.t[0].cols;
  for (int64_t first : {int64_t(0), int64_t(1), lines / 2, lines - 1}) {
    const Problem part = part_of(whole, first, std::min<int64_t>(lines - first, first == 1 ? 3 : 1));
    if (!accepted(part)) continue;
    const Outcome alone = session.run(part, kernel.name);
    if (all.status != GPUOPT_OK || alone.status != GPUOPT_OK)
      failures->push_back(all.error + alone.error);
    else if (!same_results(part, all.after, alone.after))
      failures->push_back("line " + std::to_string(first) + " alone gives other bits than among " +
                          std::to_string(lines) + ": " + whole.text());
  }
}

}  // namespace

std::vector<std::string> check_batch_invariance(Session &session, const gpuopt_kernel &kernel, uint64_t seed) {
  std::vector<std::string> failures;
  Needs needs = needs_of_kernel(kernel);
  if (kernel.op != GPUOPT_OP_REDUCE || !(needs.features & GPUOPT_FEATURE_BATCH_INVARIANT)) return failures;
  Rng rng(seed);
  for (const TypeRow &row : needs.rows) {
    const bool sum =
        row.variant == GPUOPT_REDUCE_SUM || row.variant == GPUOPT_REDUCE_NRM2 || row.variant == GPUOPT_REDUCE_DOT;
    if (!sum || row.compute == GPUOPT_COMPUTE_I32 || row.dtype[GPUOPT_OPERAND_OUT] == GPUOPT_F16) continue;
    for (int32_t axis : {GPUOPT_EACH_ROW, GPUOPT_EACH_COL}) {
      if (!(needs.axes >> axis & 1)) continue;
      for (const std::pair<int64_t, int64_t> shape :
           {std::make_pair(37, 1000), std::make_pair(130, 67), std::make_pair(5, 9001)}) {
        Spec s = plain_spec(needs, row);
        s.axis = axis;
        s.flags |= GPUOPT_REQUIRE_BATCH_INVARIANT;
        s.extent[0] = axis == GPUOPT_EACH_ROW ? shape.first : shape.second;
        s.extent[1] = axis == GPUOPT_EACH_ROW ? shape.second : shape.first;
        s.place[0].pad = rng.between(0, 3);
        check_problem(session, kernel, build_problem(s, rng.bits()), &failures);
      }
    }
  }
  return failures;
}

}  // namespace gpuopt_check
