// fused_act_scalar: the whole chain in one pass, one element a thread, one element an access.
//
// Idea and data movement: x is read once and out written once, whatever the length of the chain; consecutive
// threads take consecutive elements of out's rows. Accesses are as wide as one element, so 8- and 16-bit
// types do not fill the memory system, and a column-major x is read across its lines.
//
// Needs: nothing. Every layout, leading dimension, extent, batch, type and stage, in place or not.
// Prediction: the launch, then the slower of bytes and instructions: interpreting types and stages per element costs
// more than memory does, so it is for small matrices.

#include "common/dtypes.cuh"
#include "fused_act/common/cost.h"
#include "fused_act/ladder/elementwise.cuh"
#include "fused_act/ladder/figures.h"

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

// Launch and latencies, then the slowest of instructions, bytes, and lines of accesses across a matrix. A block has few
// rows of a wide matrix, so of a sector that lies across them it wants little; the second-level cache keeps it for the
// next rows unless there are too many columns.
double predict_us(const gpuopt_problem *problem) {
  constexpr double kSector = 32, kWarp = 32;
  const gpuopt_device_facts &device = *problem->device;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;
  const FusedActLadderFigures &f = fused_act_ladder_figures;
  const auto cols = static_cast<double>(problem->n);
  const double count = static_cast<double>(problem->m) * cols * static_cast<double>(problem->batch);
  const int64_t block_cols = problem->n < kElementwiseThreads ? problem->n : kElementwiseThreads;
  const int64_t block_rows = kElementwiseThreads / block_cols;
  double bytes = 0, cached = 0, lines = 0, shared = 0, again = 0, special = 0, plain = 0;
  int operands = 0;
  double instructions = f.scalar_thread_instructions;
  const auto add_matrix = [&](const gpuopt_operand &o) {
    const int size = dtype_bytes(o.m.dtype);
    bytes += touched_bytes(o, *problem);
    if (o.m.dtype == GPUOPT_I8 || o.m.dtype == GPUOPT_U8 || o.m.dtype == GPUOPT_I32)
      instructions += f.scalar_convert_instructions;
    if (o.m.layout == GPUOPT_ROW) {
      cached += size;
      lines += size > 4 ? size / 4.0 : 1;
      return;
    }
    const int64_t sectors = ceil_div(block_rows * size, 32) * block_cols;
    cached += static_cast<double>(sectors) * kSector / kElementwiseThreads;
    lines += cols < kWarp ? cols : kWarp;
    shared += cols * kSector;
    again += kSector - size;
  };
  add_matrix(problem->operand[GPUOPT_OPERAND_X]);
  add_matrix(problem->operand[GPUOPT_OPERAND_OUT]);
  for (int32_t s = 0; s < problem->stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem->stage[s];
    stage_cost(stage.kind, special, plain);
    if (is_matrix(stage)) add_matrix(stage.a);
    if (stage.a.m.dtype != 0 && stage.kind != GPUOPT_STAGE_STORE)
      operands += stage.kind == GPUOPT_STAGE_ADD_OUTER ? 2 : 1;
  }
  const bool wide = problem->compute == GPUOPT_COMPUTE_F64;
  instructions += f.scalar_stage_instructions * problem->stage_count + f.scalar_operand_instructions * operands +
                  f.scalar_function_instructions * special * (wide ? f.scalar_wide_factor : 1);
  const double lost = shared / (f.scalar_cache_part * static_cast<double>(device.l2_bytes)) - 1;
  bytes += count * again * (lost < 0 ? 0 : lost < 1 ? lost : 1);
  const double memory_us = bytes / (f.scalar_share * device.memory_gbs * 1e3);
  const double cache_us = count * cached / (f.scalar_cache_share * device.memory_gbs * 1e3);
  const double line_us = count / kWarp * lines * f.scalar_line_clocks / (device.sm_count * device.clock_mhz);
  const double issue_us = instructions *
                          (f.scalar_dependent_clocks + count / (128.0 * device.sm_count * f.scalar_issue_share)) /
                          device.clock_mhz;
  return f.scalar_launch_us - behind_product_us(*problem) + f.scalar_stage_us * problem->stage_count +
         f.scalar_operand_us * operands + f.scalar_function_us * special +
         overlapped_us(slower_of(issue_us, line_us), slower_of(memory_us, cache_us));
}

constexpr gpuopt_kernel fused_act_scalar() {
  gpuopt_kernel kernel = elementwise_kernel("fused_act_scalar", "the whole chain in one pass, one element a thread");
  set_functions(kernel, predict_us, prepare, launch,
                kResourcesOf<kElementwiseThreads, 0, fused_act_scalar_kernel<float>, fused_act_scalar_kernel<double>>);
  return kernel;
}
const gpuopt_kernel kKernels[] = {fused_act_scalar()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
