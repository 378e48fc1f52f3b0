#include "batch_invariance.h"

#include <algorithm>

#include "spec.h"
#include "values.h"

namespace gpuopt_check {
namespace {

// The reduction of rows (or columns), or the product of rows of A, first to first + count alone: a view of the same image.
Problem part_of(const Problem &whole, int64_t first, int64_t count) {
  Problem part = whole;
  const auto cut = [&](Tensor &t, bool by_row) {
    if (!t.present()) return;
    t.pos = by_row ? t.at(0, first, 0) : t.at(0, 0, first);
    (by_row ? t.rows : t.cols) = count;
    t.state_ld = t.state_stride = true;  // no longer those of a packed matrix
  };
  if (part.op == GPUOPT_OP_GEMM) {
    for (const int i : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_C, GPUOPT_OPERAND_D}) cut(part.t[i], true);
    for (Stage &s : part.stages)
      if (s.form != GPUOPT_PER_COL) cut(s.a, true);  // ADD_OUTER's b is a row
  } else {
    for (Tensor &t : part.t) cut(t, part.axis == GPUOPT_EACH_ROW);
  }
  return part;
}

bool same_results(const Problem &part, const std::vector<uint8_t> &a, const std::vector<uint8_t> &b) {
  bool same = true;
  for_each_tensor(part, [&](const Tensor &t) {
    for (int64_t i = 0; t.output && i < t.rows; ++i)
      for (int64_t j = 0; j < t.cols; ++j)
        same = same &&
               std::equal(a.begin() + t.at(0, i, j), a.begin() + t.at(0, i, j) + t.size(), b.begin() + t.at(0, i, j));
  });
  return same;
}

void check_problem(Session &session, const gpuopt_kernel &kernel, const Problem &whole,
                   const std::vector<std::pair<int64_t, int64_t>> &parts, std::vector<std::string> *failures) {
  const auto accepted = [&](const Problem &p) {
    const Candidate *c = nullptr;
    const Explanation e = session.explain(p);
    return (c = e.find(kernel.name)) != nullptr && c->verdict != GPUOPT_VERDICT_REJECTED;
  };
  if (!accepted(whole)) return;
  const Outcome all = session.run(whole, kernel.name);
  // Which kernel is chosen depends on the number of rows, so that all a gemm may choose between on a GPU must agree.
  const bool agrees = kernel.op == GPUOPT_OP_GEMM && (kernel.flags & GPUOPT_KERNEL_HOST) == 0;
  for (const auto &[first, count] : parts) {
    const Problem part = part_of(whole, first, count);
    if (!accepted(part)) continue;
    const Outcome alone = session.run(part, kernel.name);
    const Outcome chosen = agrees ? session.run(part, "") : alone;
    const std::string rows = std::to_string(count) + " from line " + std::to_string(first) + " on";
    if (all.status != GPUOPT_OK || alone.status != GPUOPT_OK || chosen.status != GPUOPT_OK)
      failures->push_back(all.error + alone.error + chosen.error);
    else if (!same_results(part, all.after, alone.after))
      failures->push_back(rows + " give other bits alone than among others: " + whole.text());
    else if (!same_results(part, all.after, chosen.after))
      failures->push_back(rows + " give other bits by the kernel that is chosen for them: " + whole.text());
  }
}

std::vector<std::pair<int64_t, int64_t>> some_lines(int64_t lines) {
  std::vector<std::pair<int64_t, int64_t>> parts;
  for (const int64_t first : {int64_t(0), int64_t(1), lines / 2, lines - 1})
    if (first < lines) parts.push_back({first, std::min<int64_t>(lines - first, first == 1 ? 3 : 1)});
  return parts;
}

void check_reduce(Session &session, const gpuopt_kernel &kernel, const Needs &needs, Rng &rng,
                  std::vector<std::string> *failures) {
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
        const Problem whole = build_problem(s, rng.bits());
        check_problem(session, kernel, whole, some_lines(shape.first), failures);
      }
    }
  }
}

// Of every type, with D in either layout: a plain product of many rows, one with C, which has the other layout, and one with
// a chain.
void check_gemm(Session &session, const gpuopt_kernel &kernel, const Needs &needs, Rng &rng,
                std::vector<std::string> *failures) {
  for (const TypeRow &row : needs.rows) {
    for (int what = 0; what < 3; ++what) {
      Spec s = plain_spec(needs, row);
      s.flags |= GPUOPT_REQUIRE_BATCH_INVARIANT;
      s.transposed = rng.chance(0.5);
      const int64_t m = what == 0 ? rng.between(1, 4096) : rng.between(2, 300);
      s.extent[s.transposed ? 1 : 0] = m;
      s.extent[s.transposed ? 0 : 1] = rng.between(1, 80);
      s.extent[2] = rng.between(1, what == 0 ? 300 : 1200);
      for (int i = 0; i < 4; ++i) {
        if (takes_layout(needs, i, GPUOPT_ROW + GPUOPT_COL - s.place[i].layout) && rng.chance(0.5))
          s.place[i].layout = GPUOPT_ROW + GPUOPT_COL - s.place[i].layout;
        s.place[i].pad = rng.between(0, 8);
      }
      s.alpha = 0.3;
      if (what == 1 && row.optional_operand) s.beta = -1.7;
      for (const int32_t kind : {GPUOPT_STAGE_ADD, GPUOPT_STAGE_GELU})
        if (what == 2 && needs.max_stages >= 2 && needs.chain == nullptr && (needs.stage_kinds >> kind & 1) != 0)
          s.stages.push_back(random_stage(needs, kind, rng));
      const Problem whole = build_problem(s, rng.bits());
      std::vector<std::pair<int64_t, int64_t>> parts = some_lines(m);
      const int64_t count = rng.between(1, m);
      parts.push_back({rng.between(0, m - count), count});
      check_problem(session, kernel, whole, parts, failures);
    }
  }
}

}  // namespace

std::vector<std::string> check_batch_invariance(Session &session, const gpuopt_kernel &kernel, uint64_t seed) {
  std::vector<std::string> failures;
  const Needs needs = needs_of_kernel(kernel);
  if (!(needs.features & GPUOPT_FEATURE_BATCH_INVARIANT)) return failures;
  Rng rng(seed);
  if (kernel.op == GPUOPT_OP_REDUCE) check_reduce(session, kernel, needs, rng, &failures);
  if (kernel.op == GPUOPT_OP_GEMM) check_gemm(session, kernel, needs, rng, &failures);
  return failures;
}

}  // namespace gpuopt_check
