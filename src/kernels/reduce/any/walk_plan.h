// The shape of a reduction's grid: a function of the problem alone, so that the same problem gives the same bits
// on every run. With GPUOPT_FEATURE_BATCH_INVARIANT, of the reduced extent alone.
#pragma once

#include "common/dtypes.cuh"
#include "reduce/any/walk.cuh"
#include "reduce/common/lines.h"

namespace gpuopt {

constexpr int64_t kTargetBlocks = 2048;    // about two waves of the largest GPUs
constexpr int64_t kInvariantSplits = 256;  // most splits where they must not depend on the number of outputs
constexpr int64_t kMaxGrid = 0x7fffffff;

struct WalkPlan {
  bool by_columns;
  ChunkRows rows;
  ChunkColumns columns;
  int64_t outputs, splits, blocks;
};

// Splits of work that takes a block `steps` steps, where `blocks` blocks run if there is one split each. Returns
// the steps of one split.
inline int64_t steps_of_split(int64_t steps, int64_t blocks, bool invariant) {
  const int64_t wanted = invariant ? kInvariantSplits : ceil_div(kTargetBlocks, blocks > 0 ? blocks : 1);
  const int64_t length = ceil_div(steps, wanted < 1 ? 1 : wanted);
  return length < 1 ? 1 : length > kMaxSteps ? kMaxSteps : length;
}

inline bool is_invariant(const gpuopt_problem &problem) {
  return (problem.features & GPUOPT_FEATURE_BATCH_INVARIANT) != 0;
}

inline WalkPlan plan_rows(const gpuopt_problem &problem, int chunk_elements) {
  WalkPlan plan = {};
  ChunkRows &walk = plan.rows;
  walk.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem.operand[GPUOPT_OPERAND_Y]);
  walk.rows = 1;
  walk.cols = problem.n;
  walk.index_j = 1;
  int64_t regions_per_batch = problem.m;
  if (problem.axis == GPUOPT_ALL) {
    regions_per_batch = 1;
    walk.rows = problem.m;
    const bool down_columns = (problem.features & GPUOPT_FEATURE_COLUMN_INDEX) != 0;
    walk.index_i = down_columns ? 1 : problem.n;
    walk.index_j = down_columns ? problem.m : 1;
    const bool x_is_line = walk.x.row_step == problem.n;
    const bool y_is_line = walk.y.dtype == 0 || (walk.y.col_step == 1 && walk.y.row_step == problem.n);
    if (x_is_line && y_is_line && !down_columns && !is_invariant(problem)) {
      walk.rows = 1;
      walk.cols = problem.m * problem.n;
    }
  }
  walk.chunks_per_row = ceil_div(walk.cols, chunk_elements);
  walk.chunks = walk.rows * walk.chunks_per_row;
  walk.group = power_of_two(ceil_div(walk.chunks, kInFlight), kThreads);
  walk.step_rows = walk.chunks_per_row > 0 ? walk.group / walk.chunks_per_row : 0;
  walk.step_chunks = walk.group - walk.step_rows * walk.chunks_per_row;

  const int64_t chunks_per_step = int64_t{walk.group} * kInFlight;
  const int64_t steps = ceil_div(walk.chunks, chunks_per_step);
  plan.outputs = problem.batch * regions_per_batch;
  walk.range = steps_of_split(steps, plan.outputs, is_invariant(problem)) * chunks_per_step;
  plan.splits = walk.chunks > 0 ? ceil_div(walk.chunks, walk.range) : 1;
  walk.slots = plan.outputs * plan.splits;
  walk.splits = Divider(plan.splits, walk.slots + kThreads);
  walk.regions_per_batch = Divider(regions_per_batch > 0 ? regions_per_batch : 1, plan.outputs + kThreads);
  walk.row_of_chunk = Divider(walk.chunks_per_row > 0 ? walk.chunks_per_row : 1, walk.chunks + walk.range);
  plan.blocks = ceil_div(walk.slots, kThreads / walk.group);
  return plan;
}

inline WalkPlan plan_columns(const gpuopt_problem &problem, int chunk_elements) {
  WalkPlan plan = {};
  plan.by_columns = true;
  ChunkColumns &walk = plan.columns;
  walk.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem.operand[GPUOPT_OPERAND_Y]);
  walk.rows = problem.m;
  walk.cols = problem.n;
  const int64_t chunks = ceil_div(problem.n, chunk_elements);
  walk.lanes = is_invariant(problem) ? kWarp : power_of_two(chunks, kWarp);
  const int64_t strips = ceil_div(chunks, walk.lanes), rows_per_step = int64_t{kThreads / walk.lanes} * kInFlight;

  const int64_t steps = ceil_div(problem.m, rows_per_step);
  walk.range = steps_of_split(steps, problem.batch * strips, is_invariant(problem)) * rows_per_step;
  plan.splits = problem.m > 0 ? ceil_div(problem.m, walk.range) : 1;
  plan.outputs = problem.batch * problem.n;
  plan.blocks = problem.batch * strips * plan.splits;
  walk.strips = Divider(strips > 0 ? strips : 1, plan.blocks);
  walk.splits = Divider(plan.splits, problem.batch * plan.splits);
  return plan;
}

inline WalkPlan walk_plan(const gpuopt_problem &problem) {
  const int bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  return problem.axis == GPUOPT_EACH_COL ? plan_columns(problem, column_chunk(bytes))
                                         : plan_rows(problem, row_chunk(bytes));
}

// Calls run(first block, blocks) for grids that cover all blocks; once unless there are more than 2^31 - 1.
template <class Run>
gpuopt_status for_each_grid(int64_t blocks, Run &&run) {
  gpuopt_status status = GPUOPT_OK;
  for (int64_t first = 0; first < blocks && status == GPUOPT_OK; first += kMaxGrid)
    status = run(first, static_cast<unsigned>(blocks - first < kMaxGrid ? blocks - first : kMaxGrid));
  return status;
}

}  // namespace gpuopt
