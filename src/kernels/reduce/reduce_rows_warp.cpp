// A warp a row: lanes read neighbouring 16-byte vectors, four in flight each, and join by shuffles alone.
//
// Data movement: every byte once; no shared memory, no barrier. Rows begin and end anywhere (see reduce_rows_block).
// Needs: nothing, but DOT: rows of both operands at 16-byte boundaries.
// Measured on an H200 (2026-11-21, single call, cold): f32 sum of 4097 rows of 4099 19.7 us, 3,403 GB/s, of 65,536
// rows of 1024 63.5 us, 4,230 GB/s; bf16 ARGMAX of 8192 rows of 8192 37.9 us, 3,547 GB/s.
#include "lines_predict.h"

namespace gpuopt {
namespace reduce {
namespace {

constexpr char kName[] = "reduce_rows_warp";

LinePlan plan_of(const gpuopt_problem &problem) {
  LinePlan plan = {};
  plan.threads = 256;
  plan.team = 32;
  split_line(line_facts(problem), 1, &plan);
  return plan;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return prepare_lines(problem, launch, kName);
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return launch_lines(problem, launch, kName, plan_of(*problem));
}

double predict_us(const gpuopt_problem *problem) {
  const LineFacts facts = line_facts(*problem);
  const LinePlan plan = plan_of(*problem);
  return line_us(*problem, facts, plan, 3.2);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      line_kernel_descriptor(kName, "a warp a row, 16-byte loads: rows of half a KB to some KB", GPUOPT_EACH_ROW);
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
