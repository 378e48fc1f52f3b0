/* gemm, the reference: D = stages(alpha * A * B + beta * C) in double, rounded once (common/gemm_reference.cpp has how).
 *
 * It needs nothing: every type of GPUOPT_GEMM_TABLE, layout, feature and stage; no memory, one thread.
 * Measured once, not in a record (one thread of an AMD EPYC, gcc 12 -O3, 512^3): 8.7 GFLOP/s f64, 8.4 bf16. The
 * prediction stays at 0.5, so that any other kernel that can run is preferred. */
#include "common/chain.h"
#include "common/gemm_reference.h"
#include "common/reference_kernel.h"

namespace gpuopt {
namespace cpu {
namespace {

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *) {
  if (problem->m == 0 || problem->n == 0 || problem->batch == 0) return GPUOPT_OK; /* and read no pointer */
  for (int64_t p = 0; p < problem->batch; ++p) reference_gemm_rows(*problem, p, 0, problem->m);
  return GPUOPT_OK;
}

double predict_us(const gpuopt_problem *problem) {
  return reference_gemm_us(*problem, double(problem->m) * double(problem->batch));
}

constexpr gpuopt_kernel describe() {
  gpuopt_kernel kernel = host_kernel(GPUOPT_OP_GEMM, "gemm_cpu_reference",
                                     "CPU: plain double, rounded once; takes every problem; the oracle of the tests",
                                     kGemmSignatures, predict_us, launch);
  kernel.understands |= GPUOPT_FEATURE_BETA | GPUOPT_FEATURE_SCALAR_POINTERS | GPUOPT_FEATURE_ALPHA_ZERO |
                        GPUOPT_FEATURE_SCALE | GPUOPT_FEATURE_BLOCK_SCALES | GPUOPT_FEATURE_BATCH_INVARIANT;
  accept_all_stages(kernel);
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {describe()};

}  // namespace
}  // namespace cpu
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::cpu::kKernels);
