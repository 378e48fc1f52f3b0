// Short rows by element loads: a group of 1 to 32 neighbouring threads a row.
//
// Data movement: see rows_group.cuh.
// Needs: rows of at most 128 elements.
// Recorded (H200, 2026-11-21, single call, cold): f32 sum of 1,048,576 rows of 63 107 us, 57 % of read (11.6 times
// CUB's speed), in a graph 104 us.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): f32 sum of 1,048,576 rows of 64 102 us, of
// 4,194,304 rows of 16 136 us.
#include "rows_group.cuh"

namespace gpuopt {
namespace reduce {

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kGroupThreads, group_blocks(kDtype, kOp, false))
    rows_group_elements(OpState state, GroupWalk walk, Output output) {
  reduce_groups<kDtype, kOp, 1>(state, walk, output);
}

namespace {

constexpr char kName[] = "reduce_rows_group_scalar";

const auto kernel_of = [](auto choice) { return rows_group_elements<decltype(choice)::kDtype, decltype(choice)::kOp>; };

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) { return can_run_groups(problem, reject, false); }
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return launch_groups(problem, launch, kName, false, kernel_of);
}
gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_choice(*problem, [&](auto choice) { return load_kernel(launch, kName, kernel_of(choice)); });
}
double predict_us(const gpuopt_problem *problem) { return predict_groups_us(*problem, false); }

gpuopt_resource kResources[] = {GPUOPT_REDUCE_RESOURCES(rows_group_elements, kGroupThreads)};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "a group of threads a row, element loads: any rows of up to 128 elements", GPUOPT_EACH_ROW);
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
