// fused_act_scalar: the whole chain in one pass, one element a thread, one element an access.
//
// Idea and data movement: x is read once and out written once, whatever the length of the chain; consecutive
// threads take consecutive elements of out's rows. Accesses are as wide as one element, so 8- and 16-bit
// types do not fill the memory system, and a column-major x is read across its lines.
//
// Needs: nothing. Every layout, leading dimension, extent, batch, type and stage, in place or not.
// Recorded (H200, 2026-11-21, single call, cold): f32 256^2 add per_col, gelu_tanh, x column-major 5.18 us
// (fused_act_tiles 6.59).
// Measured once, not in a record: f32 8192^2 relu, add per_col, mul scalar 566 us (bf16 593), relu alone 358 us, where
// a copy takes 129: interpreting types and stages per element costs more than memory does.

#include "fused_act/elementwise.cuh"

namespace gpuopt {

template <class C>
__global__ void __launch_bounds__(kElementwiseThreads)
    fused_act_scalar_kernel(const __grid_constant__ Elementwise<C> work) {
  elementwise(work);
}

namespace {

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_chain_type(*problem, [&](auto zero) {
    return load_kernel(launch, "fused_act_scalar", fused_act_scalar_kernel<decltype(zero)>);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_chain_type(*problem, [&](auto zero) {
    using C = decltype(zero);
    const View x = matrix_view(problem->operand[GPUOPT_OPERAND_X]);
    const View out = matrix_view(problem->operand[GPUOPT_OPERAND_OUT]);
    return launch_elementwise<C>(launch, "fused_act_scalar", fused_act_scalar_kernel<C>,
                                 make_elementwise<C>(*problem, x, out, make_chain<C>(*problem)));
  });
}

// Launch, then the slower of the bytes and the instructions.
double predict_us(const gpuopt_problem *problem) {
  const gpuopt_device_facts &device = *problem->device;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;
  const gpuopt_matrix &x = problem->operand[GPUOPT_OPERAND_X].m;
  double bytes = dtype_bytes(x.dtype) * (x.layout == GPUOPT_ROW ? 1.0 : 3.0);
  bytes += dtype_bytes(problem->operand[GPUOPT_OPERAND_OUT].m.dtype);
  double instructions = 60;
  for (int32_t s = 0; s < problem->stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem->stage[s];
    const bool is_matrix = stage.form == GPUOPT_MATRIX || stage.kind >= GPUOPT_STAGE_STORE;
    if (is_matrix) bytes += dtype_bytes(stage.a.m.dtype) * (stage.a.m.layout == GPUOPT_ROW ? 1.0 : 3.0);
    instructions += 40;
  }
  if (problem->compute == GPUOPT_COMPUTE_F64) instructions *= 3;
  const double count =
      static_cast<double>(problem->m) * static_cast<double>(problem->n) * static_cast<double>(problem->batch);
  const double memory_us = count * bytes / (0.75 * device.memory_gbs * 1e3);
  const double issue_us = count * instructions / (device.sm_count * 128.0 * 0.6 * device.clock_mhz);
  return 3.0 + (memory_us > issue_us ? memory_us : issue_us);
}

const gpuopt_resource kResources[] = {
    {kElementwiseThreads, 0, reinterpret_cast<const void *>(fused_act_scalar_kernel<float>)},
    {kElementwiseThreads, 0, reinterpret_cast<const void *>(fused_act_scalar_kernel<double>)},
};

constexpr gpuopt_kernel fused_act_scalar() {
  gpuopt_kernel kernel = elementwise_kernel("fused_act_scalar", "the whole chain in one pass, one element a thread");
  set_functions(kernel, predict_us, prepare, launch, kResources);
  return kernel;
}
const gpuopt_kernel kKernels[] = {fused_act_scalar()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
