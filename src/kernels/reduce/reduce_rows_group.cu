// Short rows by 16-byte loads: a group of 1 to 32 neighbouring threads a row.
//
// Data movement: see rows_group.cuh.
// Needs: rows of at most 2 KB at 16-byte boundaries.
// Recorded (H200, 2026-11-21, single call, cold): sums of 1,048,576 rows of 64, f32 69.1 us, 3,944 GB/s, 89 % of read
// (18 times CUB's speed), in a graph 66.4 us, bf16 36.3 us, 89 % (28); of 4,194,304 rows of 16, f32 69.3 us, 87 % (69),
// bf16 39.0 us, 83 % (103).
// Measured once, not in a record (H200, 2026-11-21, single call, cold): f32 262,144 rows of 256 64.8 us.
#include "rows_group.cuh"

namespace gpuopt {
namespace reduce {

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kGroupThreads, group_blocks(kDtype, kOp, true))
    rows_group_vectors(OpState state, GroupWalk walk, Output output) {
  reduce_groups<kDtype, kOp, kVector<typename TypesOf<kDtype>::Stored>>(state, walk, output);
}

namespace {

constexpr char kName[] = "reduce_rows_group";

const auto kernel_of = [](auto choice) { return rows_group_vectors<decltype(choice)::kDtype, decltype(choice)::kOp>; };

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) { return can_run_groups(problem, reject, true); }
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return launch_groups(problem, launch, kName, true, kernel_of);
}
gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_choice(*problem, [&](auto choice) { return load_kernel(launch, kName, kernel_of(choice)); });
}
double predict_us(const gpuopt_problem *problem) { return predict_groups_us(*problem, true); }

gpuopt_resource kResources[] = {GPUOPT_REDUCE_RESOURCES(rows_group_vectors, kGroupThreads)};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      line_kernel_descriptor(kName, "a group of threads a row, 16-byte loads: rows of up to 2 KB", GPUOPT_EACH_ROW);
  for (int o : {GPUOPT_OPERAND_X, GPUOPT_OPERAND_Y}) k.align[o] = k.ld_align[o] = 16;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
