/* gemm_grouped, the reference: each group's rows as gemm's reference has them, in double, rounded once.
 *
 * It needs nothing: every type of GPUOPT_GEMM_TABLE, layout, feature and stage; no memory, one thread. Its prediction knows
 * the rows of all groups together, and no more; it is as slow as gemm's, so that any other kernel is preferred. */
#include "common/chain.h"
#include "common/gemm_groups.h"
#include "common/gemm_reference.h"
#include "common/reference_kernel.h"

namespace gpuopt {
namespace cpu {
namespace {

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *) {
  if (problem->m == 0 || problem->n == 0) return GPUOPT_OK; /* and read no pointer */
  const bool list = (problem->features & GPUOPT_FEATURE_GROUP_LIST) != 0;
  for (int64_t group = 0; group < problem->batch; ++group) {
    if (list) {
      const gpuopt_problem one = group_problem(*problem, group);
      reference_gemm_rows(one, group, 0, one.m);
      continue;
    }
    const GroupRows rows = group_rows(*problem, group);
    reference_gemm_rows(*problem, group, rows.first, rows.end);
  }
  return GPUOPT_OK;
}

double predict_us(const gpuopt_problem *problem) {
  const bool list = (problem->features & GPUOPT_FEATURE_GROUP_LIST) != 0; /* of which none is larger */
  return reference_gemm_us(*problem, double(problem->m) * (list ? double(problem->batch) : 1));
}

constexpr gpuopt_kernel describe() {
  gpuopt_kernel kernel =
      host_kernel(GPUOPT_OP_GEMM_GROUPED, "gemm_grouped_cpu_reference",
                  "CPU: plain double, rounded once; takes every problem", kGemmSignatures, predict_us, launch);
  kernel.understands |= GPUOPT_FEATURE_BETA | GPUOPT_FEATURE_ALPHA_ZERO | GPUOPT_FEATURE_SCALE |
                        GPUOPT_FEATURE_BLOCK_SCALES | GPUOPT_FEATURE_SCALAR_POINTERS | GPUOPT_FEATURE_HOST_OFFSETS |
                        GPUOPT_FEATURE_GROUP_LIST | GPUOPT_FEATURE_HOST_LIST;
  accept_all_stages(kernel);
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {describe()};

}  // namespace
}  // namespace cpu
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::cpu::kKernels);
