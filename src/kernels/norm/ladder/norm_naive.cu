// norm_naive: three passes over each row, as the formula is read. A teaching rung: what keeping the row on chip saves.
//
// Idea and data movement: a block takes a row and reads it three times: mean (or greatest), squares (or exponentials),
// result. Long rows come from memory each time, so a third of the traffic is useful less the write; short ones come
// from cache and cost instructions instead.
//
// Needs: nothing. Every type, layout, leading dimension, extent, batch and stage, in place or not.
// Prediction: three readings of x in place of one, and an instruction stream that is interpreted element by element.
// arch class: teaching

#include "norm/common/passes.cuh"

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

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = passes_kernel(kName, "three passes over each row: mean, squares, result");
  k.flags = GPUOPT_KERNEL_TEACHING;
  set_functions(k, nullptr, prepare, launch,
                kResourcesOf<kPassThreads, 0, norm_passes_kernel<float, false>, norm_passes_kernel<double, false>>);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
