// The walk of reduce_one_launch - 16-byte loads, four in flight a thread - with the partials combined in a second
// launch, as is the custom: what one launch gains over two is the difference between these two kernels.
//
// Data movement: every byte once; a partial a block goes through global memory. Two launches, and the gap between them.
// Needs: a padded matrix has at most 8,192 rows. DOT: lines of both operands at 16-byte boundaries.
// Measured on an H200 (2026-11-21, single call, cold): f32 sum of 4 M elements 10.8 us, of 64 M 65.0 us, 4,130 GB/s
// (reduce_one_launch 9.4 and 64.3 us).
#include "lines_predict.h"

namespace gpuopt {
namespace reduce {
namespace {

constexpr char kName[] = "reduce_vec16";

LinePlan plan_of(const gpuopt_problem &problem) {
  LinePlan plan = {};
  plan.threads = plan.team = kMaxLineThreads;
  plan.second_launch = true;
  const LineFacts facts = line_facts(problem);
  split_line(facts, most_splits(problem, facts), &plan);
  return plan;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return prepare_lines(problem, launch, kName);
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return launch_lines(problem, launch, kName, plan_of(*problem));
}
void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  workspace_of_lines(*problem, plan_of(*problem), scratch, zeroed);
}

double predict_us(const gpuopt_problem *problem) {
  const LineFacts facts = line_facts(*problem);
  const LinePlan plan = plan_of(*problem);
  return line_us(*problem, facts, plan, 3.3) + (plan.splits > 1 ? 1.0 : 0.0);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "packed matrix as one line, 16-byte loads; partials combined by a second launch", GPUOPT_ALL);
  k.workspace = workspace;
  k.predict_us = predict_us;
  k.prepare = prepare;
  k.launch = launch;
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
