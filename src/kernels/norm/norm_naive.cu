// norm_naive: three passes over each row, as the formula is read. A teaching rung: what keeping the row on chip saves.
//
// Idea and data movement: a block takes a row and reads it three times: mean (or greatest), squares (or exponentials),
// result. Long rows come from memory each time, so a third of the traffic is useful less the write; short ones come
// from cache and cost instructions instead.
//
// Needs: nothing. Every type, layout, leading dimension, extent, batch and stage, in place or not.
// Recorded (H200, 2026-11-21, single call, cold): layer norm of 8192 square f32 559.1 us, 960 GB/s, 23 % of copy.
// Measured once, not in a record: of 16384 square 2,350 us, 914 GB/s.
// arch class: teaching

#include "norm/passes.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "norm_naive";

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return problem->compute == GPUOPT_COMPUTE_F64 ? load_kernel(launch, kName, norm_passes_kernel<double, false>)
                                                : load_kernel(launch, kName, norm_passes_kernel<float, false>);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return problem->compute == GPUOPT_COMPUTE_F64 ? launch_passes<double, false>(*problem, launch, kName)
                                                : launch_passes<float, false>(*problem, launch, kName);
}

gpuopt_resource kResources[] = {
    {kPassThreads, 0, reinterpret_cast<const void *>(norm_passes_kernel<float, false>)},
    {kPassThreads, 0, reinterpret_cast<const void *>(norm_passes_kernel<double, false>)},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = passes_kernel(kName, "three passes over each row: mean, squares, result");
  k.flags = GPUOPT_KERNEL_TEACHING;
  k.prepare = prepare;
  k.launch = launch;
  set_resources(k, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
