// Column reductions by element loads: any rows. A thread takes columns a warp's width apart, so each load of a warp is
// still contiguous, and needs no alignment.
//
// Data movement: see columns.cuh.
// Needs: nothing.
// Measured on an H200 (2026-11-21, single call, cold): f32 sums of 4097 x 4099 29.8 us, 2,253 GB/s, bf16 21.3 us.
#include "columns.cuh"

namespace gpuopt {
namespace reduce {

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kColumnThreads, 2)
    columns_elements(OpState state, ColumnWalk walk, Meeting meeting, Output output) {
  reduce_columns<kDtype, kOp, false>(state, walk, meeting, output);
}

namespace {

constexpr char kName[] = "reduce_columns_scalar";

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return launch_columns(problem, launch, kName, [](auto choice) {
    using C = decltype(choice);
    return columns_elements<C::kDtype, C::kOp>;
  });
}
gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return prepare_columns(problem, launch, kName, [](auto choice) {
    using C = decltype(choice);
    return columns_elements<C::kDtype, C::kOp>;
  });
}

gpuopt_resource kResources[] = {GPUOPT_REDUCE_RESOURCES(columns_elements, kColumnThreads)};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "threads along the columns, element loads: any rows; splits meet within the launch", GPUOPT_EACH_COL);
  k.can_run = can_run_columns;
  k.predict_us = predict_columns_us<false>;
  k.workspace = column_workspace;
  k.prepare = prepare;
  k.launch = launch;
  k.resources = kResources;
  k.resource_count = sizeof kResources / sizeof kResources[0];
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
