// Rows that are few and long: each is shared by several blocks, which meet within the launch as those of
// reduce_one_launch do, a meeting for each row.
//
// Data movement: every byte once; a partial of 8 bytes a block. The splits of a row follow from the problem's extents
// and the number of multiprocessors, so results are the same from run to run, but not for other numbers of rows.
// Needs: few rows (one would do with reduce_rows_block otherwise). DOT: rows of both operands at 16-byte boundaries.
// Recorded (H200, 2026-11-21, single call, cold): sums of 64 rows of 1,048,576, f32 64.6 us, 4,155 GB/s, 95 % of read
// (3.4 times CUB's speed), bf16 35.6 us, 91 % (4.3); of 8 rows of 8 M, f32 64.6 us, 94 % (26), bf16 35.5 us, 91 % (31).
#include "lines_predict.h"

namespace gpuopt {
namespace reduce {
namespace {

constexpr char kName[] = "reduce_split_rows";

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return prepare_lines(problem, launch, kName);
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return launch_lines(problem, launch, kName, plan_lines(*problem));
}
void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  workspace_of_lines(*problem, plan_lines(*problem), scratch, zeroed);
}

double predict_us(const gpuopt_problem *problem) {
  const LineFacts facts = line_facts(*problem);
  const LinePlan plan = plan_lines(*problem);
  return line_us(*problem, facts, plan, 3.3);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "few long rows, each shared by blocks that meet within the launch: deterministic", GPUOPT_EACH_ROW);
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
