/* fused_act, the reference: out = stages(x) in double, one element at a time, rounded once.
 *
 * The idea: load, run the chain, store. Each element is read, with its stage operands, before it is written,
 * so out may be x or a stage's operand, element for element; STORE stages write while the chain runs.
 *
 * It needs nothing: every type, layout, feature and stage; one thread.
 * Measured once, not in a record (one thread of an AMD EPYC, gcc 12 -O3, f32, 2048 x 2048, RELU ADD MUL): 13 ns an
 * element. */
#include "common/chain.h"
#include "common/reference_kernel.h"
#include "common/views.h"

namespace gpuopt {
namespace cpu {
namespace {

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *) {
  const View x = view_of(problem->operand[GPUOPT_OPERAND_X]), out = view_of(problem->operand[GPUOPT_OPERAND_OUT]);
  for (int64_t p = 0; p < problem->batch; ++p)
    for (int64_t i = 0; i < problem->m; ++i)
      for (int64_t j = 0; j < problem->n; ++j)
        store_at(out, i, j, p, apply_chain(*problem, load_at(x, i, j, p), i, j, p));
  return GPUOPT_OK;
}

double predict_us(const gpuopt_problem *problem) {
  const double elements = elements_of(*problem);
  return reference_us(elements * (1 + problem->stage_count), 10);
}

constexpr gpuopt_kernel describe() {
  gpuopt_kernel kernel = host_kernel(GPUOPT_OP_FUSED_ACT, "fused_act_cpu_reference",
                                     "CPU: plain double, rounded once; takes every problem; the oracle of the tests",
                                     kAnySignature, predict_us, launch);
  accept_all_stages(kernel);
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {describe()};

}  // namespace
}  // namespace cpu
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::cpu::kKernels);
