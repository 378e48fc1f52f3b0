// fused_act_unfused: one launch a stage, as a program without fusion would do. A teaching rung: what fusion
// saves.
//
// Idea and data movement: the running value travels through scratch in the chain's own type (so the result is
// that of the fused kernels, rounded once), written and read again between any two stages: a chain of s
// stages moves 2s matrices where fused_act_scalar moves two, and pays s launches.
//
// Needs: scratch for one matrix of the chain's type per matrix of the batch, for chains of two stages or
// more.
// Prediction: none, it is a rung; as many passes over memory as there are stages.

#include "common/dtypes.cuh"
#include "fused_act/ladder/elementwise.cuh"

namespace gpuopt {

template <class C>
__global__ void __launch_bounds__(kElementwiseThreads)
    fused_act_unfused_kernel(const __grid_constant__ Elementwise<C> work) {
  elementwise(work);
}

namespace {

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const size_t element = problem->compute == GPUOPT_COMPUTE_F64 ? sizeof(double) : sizeof(float);
  *scratch = problem->stage_count < 2 ? 0 : static_cast<size_t>(problem->batch * problem->m * problem->n) * element;
  *zeroed = 0;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_chain_type(*problem, [&](auto zero) {
    return load_kernel(launch, "fused_act_unfused", fused_act_unfused_kernel<decltype(zero)>);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_chain_type(*problem, [&](auto zero) {
    using C = decltype(zero);
    const View out = matrix_view(problem->operand[GPUOPT_OPERAND_OUT]);
    const View scratch = {launch->scratch, problem->m * problem->n, problem->n, 1, dtype_of<C>};
    View from = matrix_view(problem->operand[GPUOPT_OPERAND_X]);
    const int32_t last = problem->stage_count > 0 ? problem->stage_count - 1 : 0;
    for (int32_t s = 0; s <= last; ++s) {
      const Chain<C> one_stage = make_chain<C>(*problem, s, problem->stage_count > 0 ? 1 : 0);
      const gpuopt_status status =
          launch_elementwise<C>(launch, "fused_act_unfused", fused_act_unfused_kernel<C>,
                                make_elementwise<C>(*problem, from, s == last ? out : scratch, one_stage));
      if (status != GPUOPT_OK) return status;
      from = scratch;
    }
    return gpuopt_status{GPUOPT_OK};
  });
}

constexpr gpuopt_kernel fused_act_unfused() {
  gpuopt_kernel kernel = elementwise_kernel("fused_act_unfused", "one launch a stage: what a chain costs unfused");
  kernel.flags = GPUOPT_KERNEL_TEACHING;
  kernel.workspace = workspace;
  set_functions(
      kernel, nullptr, prepare, launch,
      kResourcesOf<kElementwiseThreads, 0, fused_act_unfused_kernel<float>, fused_act_unfused_kernel<double>>);
  return kernel;
}
const gpuopt_kernel kKernels[] = {fused_act_unfused()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
