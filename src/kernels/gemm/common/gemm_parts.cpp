#include "gemm/common/gemm_parts.h"

#include <algorithm>

#include "gemm/common/gemm_finish.h"
#include "gemm/common/gemm_part.h"

namespace gpuopt {
namespace {

// Rows and matrices at a time.
struct Cut {
  int64_t rows, matrices;
};

// Sums may have half of what there is: operands may want to be packed beside them. Those of a call that fits as it is stay whole.
// Rows by 256, so that alignments stay as they are; where these are too many by fewer, which keep the 16 bytes that kernels ask for.
Cut cut_of(const GemmWhole &whole, const gpuopt_problem &problem) {
  constexpr int64_t kMostRows = 256;
  const size_t sum_bytes = problem.compute == GPUOPT_COMPUTE_F64 ? 8 : 4, limit = problem.workspace_limit;
  if (gemm_partials_bytes(problem, 1, sum_bytes) <= limit / 2) return {problem.m, problem.batch};
  size_t scratch = 0, zeroed = 0;
  whole.workspace(&problem, &scratch, &zeroed);
  if ((scratch + 255) / 256 * 256 + zeroed <= limit) return {problem.m, problem.batch};
  const size_t row = static_cast<size_t>(problem.n) * sum_bytes, matrix = row * static_cast<size_t>(problem.m);
  if (matrix <= limit / 2) return {problem.m, std::min(static_cast<int64_t>(limit / 2 / matrix), problem.batch)};
  const auto rows = static_cast<int64_t>(limit / 2 / row);
  const int64_t quantum = rows >= kMostRows                                       ? kMostRows
                          : has_block_scales(problem.operand[GPUOPT_OPERAND_A].m) ? 128
                                                                                  : 16;
  return {std::min(std::max(rows / quantum * quantum, quantum), problem.m), 1};
}

bool is_whole(const gpuopt_problem &problem, Cut cut) { return cut.rows == problem.m && cut.matrices == problem.batch; }

// f(part, how many there are) of parts that differ in their extents: of rows and matrices as many as the cut's, and the rest.
template <class F>
void each_kind_of_part(const gpuopt_problem &problem, Cut cut, F &&f) {
  const int64_t rest_m = problem.m % cut.rows, rest_p = problem.batch % cut.matrices;
  for (const int64_t rows : {cut.rows, rest_m}) {
    for (const int64_t matrices : {cut.matrices, rest_p}) {
      if (rows == 0 || matrices == 0) continue;
      const int64_t in_m = rows == cut.rows ? problem.m / cut.rows : 1;
      const int64_t in_p = matrices == cut.matrices ? problem.batch / cut.matrices : 1;
      f(gemm_part(problem, 0, rows, 0, matrices), in_m * in_p);
    }
  }
}

}  // namespace

void gemm_parts_workspace(const GemmWhole &whole, const gpuopt_problem &problem, size_t *scratch, size_t *zeroed) {
  const Cut cut = cut_of(whole, problem);
  if (is_whole(problem, cut)) return whole.workspace(&problem, scratch, zeroed);
  *scratch = *zeroed = 0;
  each_kind_of_part(problem, cut, [&](const gpuopt_problem &part, int64_t) {
    size_t part_scratch = 0, part_zeroed = 0;
    whole.workspace(&part, &part_scratch, &part_zeroed);
    *scratch = std::max(*scratch, part_scratch);
    *zeroed = std::max(*zeroed, part_zeroed);
  });
}

double gemm_parts_us(const GemmWhole &whole, const gpuopt_problem &problem) {
  const Cut cut = cut_of(whole, problem);
  if (is_whole(problem, cut)) return whole.predict_us(&problem);
  double us = 0;
  each_kind_of_part(problem, cut, [&](const gpuopt_problem &part, int64_t count) {
    us += whole.predict_us(&part) * static_cast<double>(count);
  });
  return us;
}

gpuopt_status gemm_parts_prepare(const GemmWhole &whole, const gpuopt_problem &problem, const gpuopt_launch *launch) {
  const Cut cut = cut_of(whole, problem);
  if (is_whole(problem, cut)) return whole.prepare(&problem, launch);
  gpuopt_status status = GPUOPT_OK;
  each_kind_of_part(problem, cut, [&](const gpuopt_problem &part, int64_t) {
    if (status == GPUOPT_OK) status = whole.prepare(&part, launch);
  });
  return status;
}

gpuopt_status gemm_parts_launch(const GemmWhole &whole, const gpuopt_problem &problem, const gpuopt_launch *launch) {
  const Cut cut = cut_of(whole, problem);
  if (is_whole(problem, cut)) return whole.launch(&problem, launch);
  for (int64_t p = 0; p < problem.batch; p += cut.matrices) {
    for (int64_t i = 0; i < problem.m; i += cut.rows) {
      const gpuopt_problem part =
          gemm_part(problem, i, std::min(cut.rows, problem.m - i), p, std::min(cut.matrices, problem.batch - p));
      const gpuopt_status status = whole.launch(&part, launch);
      if (status != GPUOPT_OK) return status;
    }
  }
  return GPUOPT_OK;
}

}  // namespace gpuopt
